// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/layout/block_grid.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/cell_list.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. Makes the route from the blocks of the grid `source` to lists of its cells. Every
/// rank passes its own list, `destination`; cell i of the list arrives at index i of the rank's
/// array. A cell may be in several lists, or in none.
///
/// Throws mpi::AgreedError, the same on every rank, if a cell is not in the grid, or if the grid
/// names a rank that does not exist. Needs one round of messages.
[[nodiscard]] route::Route grid_to_lists(const mpi::Communicator& comm,
                                         const layout::BlockGrid& source,
                                         const route::CellList& destination);

/// Collective. Makes the route from lists of cells to the blocks of the grid `destination`. Every
/// rank passes its own list, `source`. Together, the lists must contain every cell exactly once.
/// Throws mpi::AgreedError if a cell is not in the grid, is in the lists twice or in none, or if
/// the grid names a rank that does not exist.
[[nodiscard]] route::Route lists_to_grid(const mpi::Communicator& comm,
                                         const route::CellList& source,
                                         const layout::BlockGrid& destination);

}  // namespace transrank::discovery
