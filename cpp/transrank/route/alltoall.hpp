// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// One rank's route of MPI_Alltoall: `units` units to every rank and from every rank, in rank
/// order. Throws std::invalid_argument when there are fewer than 0, or the rank is not one of
/// `ranks`.
[[nodiscard]] Route alltoall(int rank, int ranks, std::int64_t units);

/// One side of MPI_Alltoallv: one value per peer, in units.
struct Blocks {
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> displacements;
    /// Where the block lies in the peer's array. MPI leaves that to the peer; a route holds it.
    std::span<const std::int64_t> displacements_at_peer;
};

/// One rank's route of MPI_Alltoallv, its `sends` and `receives`; blocks of count 0 make no leg.
/// The extents are the least that hold all blocks. Throws std::invalid_argument naming the rank,
/// the peer and the values.
[[nodiscard]] Route alltoallv(int rank, const Blocks& sends, const Blocks& receives);

}  // namespace transrank::route
