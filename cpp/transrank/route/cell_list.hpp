// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// An arbitrary list of a grid's cells that a rank keeps in this order, one unit each. Cells are
/// numbered from 0 through the whole grid in `numbering` order (ESMF's sequence index less 1 is
/// first_fastest).
struct CellList {
    std::span<const std::int64_t> cells;
    layout::Order numbering = layout::Order::last_fastest;
};

/// From a grid to a list: what this rank wants from each owner, ascending, as requests_by_owner()
/// does for ghosts; a cell may be wanted more than once. Throws std::invalid_argument naming the
/// rank, the position and the cell when a cell is not in the grid.
[[nodiscard]] std::vector<Leg> cells_wanted(int rank, const layout::BlockGrid& source,
                                            const CellList& destination);

/// From a list to a grid: what this rank sends to each owner, ascending. Whether lists of several
/// ranks name a cell twice or never, only the owner can see: check_delivered_once().
[[nodiscard]] std::vector<Leg> cells_offered(int rank, const CellList& source,
                                             const layout::BlockGrid& destination);

}  // namespace transrank::route
