// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/attachment.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/transport/thresholds.hpp"

namespace transrank::exchange {

/// Facts about a communicator, found when it is used for the first time and kept with it: which
/// ranks share memory, the thresholds of that memory, and communicators for messages.
class KnownCommunicator final : public mpi::Attachment {
public:
    /// Collective. Makes started exchanges advance until all ranks have come. Throws BrokenExchange
    /// when a rank of this node ends instead of coming, if some communicator of it is known.
    [[nodiscard]] static std::shared_ptr<KnownCommunicator> get(MPI_Comm comm);

    explicit KnownCommunicator(MPI_Comm comm);
    void detached(bool finalizing, bool others_hold_it) noexcept override;

    /// Collective. Makes started exchanges advance until all ranks have come, and returns a
    /// communicator of them for what is over before the next collective call; `sums` are then the
    /// sums over all ranks. Throws BrokenExchange, then and ever after, when a rank of this node
    /// ends instead of coming.
    const mpi::Communicator& meet(std::span<std::uint64_t> sums = {});

    /// Collective, as `meet`. A communicator for one exchange.
    [[nodiscard]] mpi::CommunicatorPool::Lease acquire() {
        return *acquire_if_needed(true);  // NOLINT(bugprone-unchecked-optional-access): it is
    }
    /// Collective, as `meet`. The same, but nothing unless some rank needs one.
    [[nodiscard]] std::optional<mpi::CommunicatorPool::Lease> acquire_if_needed(
        bool needed, std::span<std::uint64_t> sums = {});

    /// Collective, as `meet`. What `work` returns, which is collective, too, and is given a
    /// communicator of its own.
    template <class Work>
    auto together(const Work& work) {
        auto lease = acquire();
        try {
            return work(lease.comm());
        } catch (const mpi::AgreedError&) {
            throw;
        } catch (...) {  // nobody knows where the others are
            lease.poison();
            throw;
        }
    }

    /// Of all ranks, as returned by `meet`.
    [[nodiscard]] const mpi::Communicator& base() const noexcept { return communicators_.base(); }
    [[nodiscard]] int rank() const noexcept { return base().rank(); }
    [[nodiscard]] const memory::Node& node() const noexcept { return node_; }

    /// Collective. Measured when first asked for.
    [[nodiscard]] const transport::Thresholds& thresholds();

private:
    mpi::CommunicatorPool communicators_;
    memory::Node node_;
    std::unique_ptr<transport::Thresholds> thresholds_;
    int absent_ = -1;  ///< the rank that will never come
};

}  // namespace transrank::exchange
