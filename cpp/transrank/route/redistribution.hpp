// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::route {

/// Whether a redistribution fills halo cells besides the cells that a rank owns.
enum class Coverage : std::uint8_t {
    owned,           ///< the destination's halo stays as it is
    owned_and_halo,  ///< halo cells are filled, too, from wherever they are owned
};

/// One rank's route from its cells in `source` to those in `destination`: two layouts of one grid,
/// on any of the `ranks` ranks each, with halos if the `coverage` says so. A transposed array is
/// one whose memory order differs.
///
/// Needs no communication, and its cost depends on the cells that the rank itself has and gets, not
/// on the number of ranks. Throws std::invalid_argument when the grids differ in an extent or a
/// layout names a rank that does not exist.
[[nodiscard]] Route redistribution(int rank, int ranks, const layout::BlockGrid& source,
                                   const layout::BlockGrid& destination,
                                   Coverage coverage = Coverage::owned);

/// Throws std::invalid_argument naming the dimension in which two layouts differ in their extent.
void check_same_grid(const layout::BlockGrid& source, const layout::BlockGrid& destination);

/// Throws std::invalid_argument unless `highest`, the highest rank of a layout, is below `ranks`.
void check_ranks(int highest, int ranks);

}  // namespace transrank::route
