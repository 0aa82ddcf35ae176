// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::runner {

/// The cells that some legs take from one array, each counted once.
class DistinctCells {
public:
    /// `shape` is that of the array on a grid, the slowest dimension first, and the legs are
    /// between blocks; without one it is a list.
    explicit DistinctCells(route::Shape shape);

    void add(const route::Leg& leg);
    [[nodiscard]] std::int64_t count() const;

private:
    using Box = layout::PerDimension<layout::IndexRange>;
    [[nodiscard]] Box box(std::int64_t first, std::int64_t last) const;
    [[nodiscard]] std::int64_t volume(const Box& box) const;
    [[nodiscard]] std::int64_t united(std::vector<Box> boxes, std::size_t dimension) const;

    route::Shape shape_;
    std::vector<Box> boxes_;
};

}  // namespace transrank::lab::runner
