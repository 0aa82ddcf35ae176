// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::study::baseline {

/// How derived datatypes describe what moves: as the source of a study does.
enum class Description : std::uint8_t {
    rows,      ///< for each leg a type with one block for each unit
    segments,  ///< vectors; each segment moves by itself, unless a collective takes a whole leg
    boxes,     ///< vectors of vectors, for each leg one type
};

/// One rank's part of what is moved: fields of doubles along a route. All fields have units of one
/// length; where peers read them in place, they lie one after the other and are equally long.
struct Task {
    const mpi::Communicator& comm;  ///< outlives what moves
    route::Route route;
    std::vector<transport::Field> fields;
    Description description;

    [[nodiscard]] std::int64_t unit_bytes() const { return fields.front().unit_bytes; }
};

/// Moves the fields of a task, again and again. Made and destroyed collectively.
class Mover {
public:
    explicit Mover(Task task) : task_(std::move(task)) {}
    Mover(const Mover&) = delete;
    Mover& operator=(const Mover&) = delete;
    virtual ~Mover() = default;

    /// Around each time that the sources are rewritten, outside of what is timed.
    virtual void before_rewriting() {}
    virtual void after_rewriting() {}

    /// Begins: until finish has returned the sources stay as they are, and the destinations are
    /// undefined.
    virtual void start() = 0;
    virtual void finish() {}
    void run() {
        start();
        finish();
    }

    /// What it moves; a floor something else than its task says.
    [[nodiscard]] const route::Route& route() const { return task_.route; }

protected:
    [[nodiscard]] const Task& task() const { return task_; }

private:
    Task task_;
};

}  // namespace transrank::study::baseline
