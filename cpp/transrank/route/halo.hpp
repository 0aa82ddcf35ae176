// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::route {

/// Which halo cells a halo update fills.
enum class Corners : std::uint8_t {
    included,  ///< all halo cells, for stencils with diagonal terms
    left_out,  ///< only halo cells beyond a face, for star-shaped stencils
};

/// The route of `rank`, one of `ranks` ranks, for a halo update (halo exchange, ghost cell
/// exchange) of `grid`, which also defines the halo widths. `corners` says which halo cells are
/// filled. Each rank's local array is both source and destination: owned cells are sent, halo cells
/// are filled. Both extents count all cells of the array.
///
/// Needs no communication. The time grows linearly with the number of parts along each irregularly
/// divided dimension, and is otherwise independent of the number of ranks. Halo cells beyond the
/// ends of a dimension that is not periodic are not filled. Empty parts are skipped: the parts
/// around them are neighbors. Throws std::invalid_argument, the same on every rank, if the grid was
/// made without a halo, if a part is thinner than the halo that its neighbors need from it, or if a
/// part lies on a rank that does not exist. A halo of width 0 is allowed, but moves nothing.
[[nodiscard]] Route halo(int rank, int ranks, const layout::BlockGrid& grid,
                         Corners corners = Corners::included);

}  // namespace transrank::route
