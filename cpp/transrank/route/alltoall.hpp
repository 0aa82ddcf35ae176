// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// The route of `rank` for MPI_Alltoall among `ranks` ranks: `units` units to every rank and from
/// every rank, in rank order. Throws std::invalid_argument when `units` is negative or too large,
/// or the rank is not one of the `ranks`.
[[nodiscard]] Route alltoall(int rank, int ranks, std::int64_t units);

/// The blocks that a rank sends, or receives, in MPI_Alltoallv: one value per peer, in units.
struct Blocks {
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> displacements;
    /// Where the block lies in the peer's array. MPI leaves this to the peer; a route holds it.
    std::span<const std::int64_t> displacements_at_peer;
};

/// The route of `rank` for MPI_Alltoallv, with its blocks `sends` and `receives`; blocks of count 0
/// make no leg. The extents are the shortest that hold all blocks. Throws std::invalid_argument
/// naming the rank, the peer and the values when a value is negative or too large, or lists differ
/// in length.
[[nodiscard]] Route alltoallv(int rank, const Blocks& sends, const Blocks& receives);

}  // namespace transrank::route
