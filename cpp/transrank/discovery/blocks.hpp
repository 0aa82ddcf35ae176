// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// The blocks that a rank sends, or receives, in MPI_Alltoallv. Each list has one value per peer,
/// in units (elements).
struct BlockList {
    std::span<const std::int64_t> counts;
    std::span<const std::int64_t> displacements;
};

/// Collective. Makes the route of MPI_Alltoallv. `sends` and `receives` are this rank's blocks;
/// ranks tell each other where their blocks lie. Throws mpi::AgreedError, the same on every rank,
/// if sender and receiver give a block different lengths, a value is negative, or a list does not
/// have one value per rank.
[[nodiscard]] route::Route alltoallv(const mpi::Communicator& comm, const BlockList& sends,
                                     const BlockList& receives);

}  // namespace transrank::discovery
