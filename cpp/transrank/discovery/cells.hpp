// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/layout/block_grid.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/cell_list.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. Makes the route from the blocks of the grid `source` to lists of its cells, one per
/// rank: cell i of a rank's list, `destination`, arrives at unit i. A cell may be in several lists,
/// or in none.
///
/// Throws mpi::AgreedError, the same on every rank, when a cell is not in the grid, or the grid
/// names a rank that does not exist. Needs one round of messages.
[[nodiscard]] route::Route grid_to_lists(const mpi::Communicator& comm,
                                         const layout::BlockGrid& source,
                                         const route::CellList& destination);

/// Collective. Makes the route from lists of cells, of which this rank's is `source`, to the blocks
/// of the grid `destination`. The lists together must have every cell once. Throws mpi::AgreedError
/// when a cell is not in the grid, is in the lists twice or in none, or the grid names a rank that
/// does not exist.
[[nodiscard]] route::Route lists_to_grid(const mpi::Communicator& comm,
                                         const route::CellList& source,
                                         const layout::BlockGrid& destination);

}  // namespace transrank::discovery
