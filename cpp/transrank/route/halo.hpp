// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::route {

/// Which halo cells an update fills.
enum class Corners : std::uint8_t {
    included,  ///< all: what a stencil with diagonal terms reads
    left_out,  ///< those beyond one face only: what a star-shaped stencil reads
};

/// One rank's halo update (halo exchange, ghost cell exchange) of a grid whose layout gives the
/// widths, `corners` included or not: from the owned cells to the halo cells of one and the same
/// local array, in which both extents are counted.
///
/// Needs no communication; linear in the parts per dimension where that is divided irregularly,
/// otherwise independent of the number of ranks. Beyond the ends of a dimension that is not
/// periodic nothing arrives. Empty parts are skipped: their neighbors are neighbors. Throws
/// std::invalid_argument, the same on every rank, when the grid was made without a halo (one of
/// width 0 moves nothing), or a part is thinner than a halo that its neighbors see of it.
[[nodiscard]] Route halo(int rank, int ranks, const layout::BlockGrid& grid,
                         Corners corners = Corners::included);

}  // namespace transrank::route
