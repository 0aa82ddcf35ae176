// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/baseline/arrays.hpp"
#include "lab/study/redistribute/task.hpp"
#include "lab/study/redistribute/waves.hpp"
#include "lab/study/study.hpp"
#include "transrank/copy/field.hpp"

namespace transrank::lab::study::redistribute {

/// What a case redistributes; its grid scaled down as its axes say.
[[nodiscard]] Task task_of(const measure::Case& point, const Setting& setting);

/// One per field of the bundle; a unit is a double.
[[nodiscard]] std::vector<copy::Field> fields_of(const Arrays& arrays);

/// Moves the fields of a bundle.
using Move = std::function<void()>;

/// Collective. Makes the route of a task and what moves fields along it.
using Store = std::function<Move(const mpi::Communicator& comm, const Task& task,
                                 const std::vector<copy::Field>& fields)>;

/// A bundle and what redistributes it: contents, modes, checks. Of the two phases `store` times the
/// making of the route and of what moves along it, `run` the move.
class Bundle : public measure::Operation {
public:
    /// Collective: stores.
    Bundle(const measure::Case& point, const Setting& setting, Arrays arrays, Store store);

    void fill(std::uint64_t stamp) final;
    void prepare() final;
    void run(std::int64_t repetitions) final;
    std::uint64_t verify(std::int64_t repetitions) override;

    /// Collective. Moves `runs` times as samples do: what the first runs measure for themselves is
    /// known before a sample is taken.
    void settle(int runs);

protected:
    /// Writes what the sources hold after `stamp`. Timed in the mode `cycle`.
    virtual void write_sources(std::uint64_t stamp);
    [[nodiscard]] const Task& task() const { return task_; }
    [[nodiscard]] const Arrays& arrays() const { return arrays_; }

private:
    void store();
    /// What the sources are to hold after `stamp`, as far as it can be computed beforehand.
    void form_waves(std::uint64_t stamp);

    const mpi::Communicator& comm_;
    Task task_;
    bool stores_;
    bool rewrites_;
    bool reads_;
    bool times_writing_;
    Arrays arrays_;
    Store store_;
    Move move_;
    std::vector<Waves> waves_;  ///< one per field, of `stamp_`
    std::uint64_t stamp_ = 0;
    double read_ = 0;
};

}  // namespace transrank::lab::study::redistribute
