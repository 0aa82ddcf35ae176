// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "transrank/collective/arrays.hpp"
#include "transrank/collective/plan.hpp"
#include "transrank/exchange/backend.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/schedule/problem.hpp"

namespace transrank::collective {

/// The arguments of an alltoall. Every rank has checked them, and all agree where they must.
struct Task {
    MPI_Comm comm;                 ///< the user's
    const mpi::Communicator& own;  ///< the same ranks, for messages while it is bound
    const std::shared_ptr<exchange::KnownCommunicator>& known;
    const std::shared_ptr<Arrays>& arrays;
    const Blocks& blocks;
    /// The length of all blocks, where they have one and lie one behind the other; else -1.
    std::int64_t block_bytes;
    const schedule::Problem& problem;
};

using Backend = std::unique_ptr<exchange::Backend>;

/// Collective. By point-to-point messages, as a schedule says.
[[nodiscard]] Backend by_messages(const Task& task, const schedule::Algorithm& algorithm);

/// Collective. By an exchange: each rank takes its blocks from the memory of peers on its node.
[[nodiscard]] Backend on_node_direct(const Task& task);

/// Collective. By MPI_Alltoall or MPI_Alltoallv of the library.
[[nodiscard]] Backend by_mpi(const Task& task);

}  // namespace transrank::collective
