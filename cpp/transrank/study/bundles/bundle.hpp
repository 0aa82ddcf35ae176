// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transrank/measure/operation.hpp"
#include "transrank/route/route.hpp"
#include "transrank/study/bundles/waves.hpp"
#include "transrank/study/study.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::study::bundles {

/// The bundle of a rank before and after, field after field, and what keeps the memory.
struct Arrays {
    std::span<double> source;
    std::span<double> destination;
    std::shared_ptr<const void> owner;  ///< null where the workspace has them
};

/// One redistribution: grid, layouts, this rank's part in them.
struct Task {
    Grid grid;
    layout::BlockGrid source;
    layout::BlockGrid destination;
    int rank;
    int ranks;

    Task(const Grid& wanted, int rank_of, int ranks_of)
        : Task(wanted, partition_for(wanted, ranks_of), rank_of, ranks_of) {}

    /// Doubles of the whole bundle on this rank.
    [[nodiscard]] std::int64_t source_values() const { return fields * source.units(rank); }
    [[nodiscard]] std::int64_t destination_values() const {
        return fields * destination.units(rank);
    }
    [[nodiscard]] route::Route route() const;

private:
    Task(const Grid& wanted, const Partition& partition, int rank_of, int ranks_of)
        : grid(wanted),
          source(layout_of(wanted, partition.source)),
          destination(layout_of(wanted, partition.destination)),
          rank(rank_of),
          ranks(ranks_of) {}
};

/// The grid of a case that was scaled down as its axes say.
[[nodiscard]] Grid grid_of(const measure::Case& point);

/// What every way of redistributing has in common: contents and their check.
class Bundle : public measure::Operation {
public:
    Bundle(const measure::Case& point, const Setting& setting, Arrays arrays);

    void fill(std::uint64_t stamp) override;
    void run(std::int64_t repetitions) final;
    std::uint64_t verify(std::int64_t repetitions) override;

protected:
    /// Timed.
    virtual void redistribute() = 0;
    [[nodiscard]] const Task& task() const { return task_; }
    [[nodiscard]] const Arrays& arrays() const { return arrays_; }
    /// One per field of the bundle; a unit is a double.
    [[nodiscard]] std::vector<transport::Field> bundle() const;

private:
    Task task_;
    Arrays arrays_;
    std::uint64_t stamp_ = 0;
};

}  // namespace transrank::study::bundles
