// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/cell_list.hpp"

#include <cstddef>
#include <utility>

#include "transrank/layout/require.hpp"
#include "transrank/route/leg_builder.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::route {
namespace {

using layout::BlockGrid;
using layout::IndexRange;

/// Cells of one rank that lie at equal distances: number range.begin + i at unit + i * stride.
struct Line {
    IndexRange range;
    int rank = 0;
    std::int64_t unit = 0;
    std::int64_t stride = 1;
};

/// Finds the owners of cells by their numbers.
class Cells {
public:
    Cells(const BlockGrid& grid, layout::Order numbering) : grid_(grid) {
        const int n = grid.dimensions();
        for (int i = 0; i < n; ++i) {
            const int dimension = numbering == layout::Order::first_fastest ? i : n - 1 - i;
            order_[i] = dimension;
            const std::int64_t extent = grid.distribution(dimension).extent();
            layout::require(!__builtin_mul_overflow(size_, extent, &size_),
                            "the grid has more cells than 64 bits can number");
        }
    }

    [[nodiscard]] std::int64_t size() const { return size_; }

    /// The cells around one of them, along the dimension that is numbered fastest.
    [[nodiscard]] Line line(std::int64_t cell) const {
        layout::PerDimension<int> owner{};
        layout::PerDimension<std::int64_t> position{};
        IndexRange range{.begin = cell, .end = cell + 1};
        for (int i = 0; i < grid_.dimensions(); ++i) {
            const int dimension = order_[i];
            const std::int64_t extent = grid_.distribution(dimension).extent();
            const std::int64_t index = cell % extent;
            cell /= extent;
            const auto stretch = grid_.distribution(dimension).stretch(index);
            owner[dimension] = stretch.part;
            position[dimension] = grid_.halo(dimension).low + stretch.position;
            if (i == 0) {
                range = {.begin = range.begin - (index - stretch.range.begin),
                         .end = range.begin + (stretch.range.end - index)};
            } else {
                position[dimension] += index - stretch.range.begin;
            }
        }
        return locate(range, owner, position);
    }

private:
    [[nodiscard]] Line locate(const IndexRange& range, const layout::PerDimension<int>& owner,
                              const layout::PerDimension<std::int64_t>& position) const {
        const auto strides = grid_.strides(owner);
        Line line{
            .range = range, .rank = grid_.rank(owner), .unit = 0, .stride = strides[order_[0]]};
        for (const int dimension : grid_.memory_order()) {
            line.unit += position[dimension] * strides[dimension];
        }
        return line;
    }

    const BlockGrid& grid_;
    layout::PerDimension<int> order_{};  // the dimension numbered fastest first
    std::int64_t size_ = 1;
};

/// Calls `visit(owner, unit, position)` for each cell of the list, in its order.
template <class Visit>
void for_each_cell(int rank, const BlockGrid& grid, const CellList& list, const Visit& visit) {
    const Cells cells(grid, list.numbering);
    Line line;
    for (std::size_t i = 0; i < list.cells.size(); ++i) {
        const std::int64_t cell = list.cells[i];
        if (!line.range.contains(cell)) {
            layout::require(cell >= 0 && cell < cells.size(), "cell ", layout::counted(i),
                            " in the list of rank ", rank, " has number ", layout::counted(cell),
                            ", but the grid has ", cells.size(), " cells, numbered from ",
                            layout::first_index);
            line = cells.line(cell);
        }
        visit(line.rank, line.unit + ((cell - line.range.begin) * line.stride),
              static_cast<std::int64_t>(i));
    }
}

}  // namespace

std::vector<Leg> cells_wanted(int rank, const BlockGrid& source, const CellList& destination) {
    LegBuilder legs;
    for_each_cell(rank, source, destination,
                  [&](int owner, std::int64_t unit, std::int64_t position) {
                      legs.add(owner, unit, position, 1);
                  });
    return legs.finish();
}

std::vector<Leg> cells_offered(int rank, const CellList& source, const BlockGrid& destination) {
    std::vector<Transfer> transfers;
    transfers.reserve(source.cells.size());
    for_each_cell(rank, destination, source,
                  [&](int owner, std::int64_t unit, std::int64_t position) {
                      transfers.push_back({.origin = rank,
                                           .target = owner,
                                           .destination = unit,
                                           .source = position,
                                           .length = 1});
                  });
    std::vector<Leg> legs;
    for (auto& forward : join(std::move(transfers))) {
        legs.push_back(std::move(forward.leg));
    }
    return legs;
}

}  // namespace transrank::route
