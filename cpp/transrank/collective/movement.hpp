// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "transrank/collective/plan.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/schedule/problem.hpp"

namespace transrank::collective {

/// What an alltoall works on. Every rank has checked it, and all agree where they must.
struct Task {
    MPI_Comm comm;                 ///< the user's
    const mpi::Communicator& own;  ///< the same ranks, for what is said while it is made
    const std::shared_ptr<exchange::KnownCommunicator>& known;
    const std::byte* send;
    std::byte* receive;
    const Blocks& blocks;
    /// The length of all blocks, where they have one and lie one behind the other; else -1.
    std::int64_t block_bytes;
    const schedule::Problem& problem;
    const std::shared_ptr<void>& keep_alive;  ///< what owns the arrays

    [[nodiscard]] bool in_place() const noexcept { return send == receive; }
    /// Bytes of the array that is sent from, up to the end of its last block.
    [[nodiscard]] std::int64_t send_extent() const;
    [[nodiscard]] std::int64_t receive_extent() const;
};

/// A way to move the blocks, ready to be started again and again: an exchange, which knows of
/// order, peers and errors.
class Movement {
public:
    explicit Movement(exchange::Exchange exchange) : exchange_(std::move(exchange)) {}
    Movement(const Movement&) = delete;
    Movement& operator=(const Movement&) = delete;
    virtual ~Movement() = default;

    /// Does not wait.
    virtual void start() { exchange_.start(); }
    virtual void run() {
        start();
        exchange_.wait();
    }
    [[nodiscard]] exchange::Exchange& exchange() noexcept { return exchange_; }

private:
    exchange::Exchange exchange_;
};

/// Collective. By point-to-point messages, as a schedule says.
[[nodiscard]] std::unique_ptr<Movement> by_messages(const Task& task,
                                                    const schedule::Algorithm& algorithm);

/// Collective. By an exchange: each rank takes its blocks from the memory of peers on its node.
[[nodiscard]] std::unique_ptr<Movement> on_node_direct(const Task& task);

/// Collective. What the MPI library does itself.
[[nodiscard]] std::unique_ptr<Movement> by_mpi(const Task& task);

}  // namespace transrank::collective
