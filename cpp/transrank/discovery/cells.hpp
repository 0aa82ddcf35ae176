// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/layout/block_grid.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/cell_list.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. The route from the blocks of a grid to arbitrary lists of its cells, one per rank:
/// cell i of a rank's list, `destination`, arrives at unit i. A cell may be in several lists, or in
/// none.
///
/// Throws mpi::AgreedError, the same on every rank, when a cell is not in the grid, or the grid
/// names a rank that does not exist. One delivery.
[[nodiscard]] route::Route grid_to_lists(const mpi::Communicator& comm,
                                         const layout::BlockGrid& source,
                                         const route::CellList& destination);

/// Collective. The way back: from lists, of which this rank's is `source`, that together have every
/// cell once to the blocks. Throws mpi::AgreedError as grid_to_lists, and when a cell is in the
/// lists twice or in none.
[[nodiscard]] route::Route lists_to_grid(const mpi::Communicator& comm,
                                         const route::CellList& source,
                                         const layout::BlockGrid& destination);

}  // namespace transrank::discovery
