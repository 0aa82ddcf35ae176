// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::route {

/// Whether a redistribution fills halo cells besides the cells that a rank owns.
enum class Coverage : std::uint8_t {
    owned,           ///< the destination's halo is not changed
    owned_and_halo,  ///< halo cells are filled, too, from their owners
};

/// The route of `rank` that moves the cells of a grid from the layout `source` to the layout
/// `destination`. Each layout may use any of the `ranks` ranks. `coverage` says whether halo cells
/// are filled, too. If the layouts' memory orders differ, arrays are transposed.
///
/// Needs no communication; the cost depends on the cells that this rank sends and receives, not on
/// the number of ranks. Throws std::invalid_argument if the layouts differ in an extent (length of
/// a dimension), or if a layout names a rank that does not exist.
[[nodiscard]] Route redistribution(int rank, int ranks, const layout::BlockGrid& source,
                                   const layout::BlockGrid& destination,
                                   Coverage coverage = Coverage::owned);

/// Throws std::invalid_argument if the layouts `source` and `destination` differ in their number of
/// dimensions, or in the extent (length) of a dimension, which the error names.
void check_same_grid(const layout::BlockGrid& source, const layout::BlockGrid& destination);

/// Throws std::invalid_argument unless `highest`, the highest rank of a layout, is below `ranks`.
void check_ranks(int highest, int ranks);

}  // namespace transrank::route
