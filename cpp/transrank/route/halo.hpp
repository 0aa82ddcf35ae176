// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::route {

/// Which halo cells a halo update fills.
enum class Corners : std::uint8_t {
    included,  ///< all: those that a stencil with diagonal terms reads
    left_out,  ///< only those that a star-shaped stencil reads, beyond one face
};

/// The route of `rank`, one of `ranks` ranks, for a halo update (halo exchange, ghost cell
/// exchange) of `grid`, whose layout gives the widths. `corners` says which halo cells are filled.
/// The route leads from the owned cells to the halo cells of one local array; both extents count
/// all of its cells.
///
/// Needs no communication. The time is linear in the parts of each irregularly divided dimension,
/// and otherwise independent of the number of ranks. Nothing arrives beyond the ends of a dimension
/// that is not periodic. Empty parts are skipped: the parts around them are neighbors. Throws
/// std::invalid_argument, the same on every rank, when the grid was made without a halo (a halo of
/// width 0 moves nothing), a part is thinner than the halo that its neighbors need of it, or a part
/// lies on a rank that does not exist.
[[nodiscard]] Route halo(int rank, int ranks, const layout::BlockGrid& grid,
                         Corners corners = Corners::included);

}  // namespace transrank::route
