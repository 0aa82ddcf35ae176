// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "transrank/collective/plan.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/schedule/problem.hpp"

namespace transrank::collective {

/// What an alltoall works on. Every rank has checked it, and all agree where they must.
struct Task {
    MPI_Comm comm;                 ///< the user's
    const mpi::Communicator& own;  ///< the same ranks, for what is said while it is made
    exchange::KnownCommunicator& known;
    const std::byte* send;
    std::byte* receive;
    const Blocks& blocks;
    /// The length of all blocks, where they have one and lie one behind the other; else -1.
    std::int64_t block_bytes;
    const schedule::Problem& problem;

    [[nodiscard]] bool in_place() const noexcept { return send == receive; }
    /// Bytes of the array that is sent from, up to the end of its last block.
    [[nodiscard]] std::int64_t send_extent() const;
    [[nodiscard]] std::int64_t receive_extent() const;
};

/// A way to move the blocks, ready to be started again and again.
class Movement {
public:
    Movement() = default;
    Movement(const Movement&) = delete;
    Movement& operator=(const Movement&) = delete;
    virtual ~Movement() = default;

    /// Does not wait.
    virtual void start() = 0;
    virtual bool test() = 0;
    /// Returns false when about `seconds` have passed before it is over.
    virtual bool wait_for(double seconds) = 0;
    virtual void run() {
        start();
        (void)wait_for(std::numeric_limits<double>::infinity());
    }
};

/// Collective. By point-to-point messages, as a schedule says.
[[nodiscard]] std::unique_ptr<Movement> by_messages(const Task& task,
                                                    const schedule::Algorithm& algorithm);

/// Collective. By an exchange: each rank takes its blocks from the memory of peers on its node.
[[nodiscard]] std::unique_ptr<Movement> on_node_direct(const Task& task);

/// Collective. What the MPI library does itself.
[[nodiscard]] std::unique_ptr<Movement> by_mpi(const Task& task);

}  // namespace transrank::collective
