// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// The route of `rank` for MPI_Alltoall among `ranks` ranks: a block of `units` units (elements) to
/// every rank and from every rank, in rank order. Throws std::invalid_argument if `units` is
/// negative or too large, or if `rank` is not one of the `ranks`.
[[nodiscard]] Route alltoall(int rank, int ranks, std::int64_t units);

/// The blocks that a rank sends, or receives, in MPI_Alltoallv. Each list has one value per peer,
/// in units (elements).
struct Blocks {
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> displacements;
    /// Where each block lies in the peer's array. MPI leaves this to the peer; a route needs it
    /// here, too.
    std::span<const std::int64_t> displacements_at_peer;
};

/// The route of `rank` for MPI_Alltoallv. `sends` and `receives` are the blocks that the rank sends
/// and receives; it has no leg for blocks of count 0. The extents are the shortest that hold all
/// blocks. Throws std::invalid_argument, which names the rank, the peer and the values, if a value
/// is negative or too large, or if lists differ in length.
[[nodiscard]] Route alltoallv(int rank, const Blocks& sends, const Blocks& receives);

}  // namespace transrank::route
