// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::study::baseline {

/// How derived datatypes describe what moves: as the source of a study does.
enum class Description : std::uint8_t {
    rows,      ///< for each leg a type with one block for each unit
    segments,  ///< vectors; a message for each segment, unless a collective takes a whole leg
    boxes,     ///< vectors of vectors, for each leg one type
};

/// One rank's part of what is moved: fields of doubles along a route. All fields have units of one
/// length; where peers read them in place, they lie one after the other and are equally long.
struct Task {
    const mpi::Communicator& comm;  ///< outlives what moves
    route::Route route;
    std::vector<copy::Field> fields;
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
    [[nodiscard]] std::span<const copy::Field> fields() const { return task_.fields; }

protected:
    [[nodiscard]] const Task& task() const { return task_; }

private:
    Task task_;
};

/// What the library is compared with: what a program can do with MPI alone or with shared memory of
/// its own, and the floors, which only copy.
struct Entry {
    std::string_view name;
    std::string_view summary;
    /// Copies within the rank; its sources must be as long as what it receives.
    bool own_memory = false;
    /// Sources must lie in memory that node-mates can map.
    bool shared = false;
    /// Collective. Throws mpi::AgreedError where this machine cannot.
    std::unique_ptr<Mover> (*make)(Task task);
};

/// The ranks at the other ends of legs.
[[nodiscard]] std::vector<int> peers_of(std::span<const route::Leg> legs);

/// What makes a kind of mover, for a row of the table.
template <class Kind, auto... arguments>
std::unique_ptr<Mover> made(Task task) {
    return std::make_unique<Kind>(std::move(task), arguments...);
}

// Rows of one kind are made in one file; baseline.cpp lists them.
std::vector<Entry> copies();
std::vector<Entry> from_peers();
std::vector<Entry> messages();
std::vector<Entry> collectives();
std::vector<Entry> puts();

[[nodiscard]] std::span<const Entry> all();

/// Null when there is none of that name.
[[nodiscard]] const Entry* find(std::string_view name);

/// The names of the table that fit a study without those of `chosen`: what it has on request.
[[nodiscard]] std::vector<std::string> others_than(std::span<const std::string_view> chosen,
                                                   bool (*fits)(const Entry& entry));

/// The transports of the library between ranks.
[[nodiscard]] std::vector<std::string> transports();

/// Why no case can be measured with that name here; empty when one can.
[[nodiscard]] std::string reason_against(std::string_view name);

/// Collective. A baseline or, by any other name, the library with that transport. Throws
/// std::invalid_argument or mpi::AgreedError when there is none, or when it cannot serve a peer.
[[nodiscard]] std::unique_ptr<Mover> make(std::string_view name, Task task);

}  // namespace transrank::lab::study::baseline
