// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// One side of MPI_Alltoallv as its rank gives it: one value per peer, in units.
struct BlockList {
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> displacements;
};

/// Collective. The route of MPI_Alltoallv, from `sends` to `receives`; ranks exchange where their
/// blocks lie. Throws mpi::AgreedError, the same on every rank, when a block of the sender is not
/// as long as the receiver's, does not exist, or a list has not one value for each rank.
[[nodiscard]] route::Route alltoallv(const mpi::Communicator& comm, const BlockList& sends,
                                     const BlockList& receives);

}  // namespace transrank::discovery
