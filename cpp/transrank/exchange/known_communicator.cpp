// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/known_communicator.hpp"

#include <chrono>
#include <optional>

#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/patience.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/transport/breakage.hpp"

namespace transrank::exchange {

using transport::Breakage;
using transport::BrokenExchange;

namespace {

/// Looks for a rank of this node that has ended while this one waits for it.
class Watch {
public:
    explicit Watch(const memory::Node& node) : node_(&node) {}

    /// Throws BrokenExchange when such a rank was seen a while ago. What it did before it ended may
    /// be on its way still, and then what is waited for will be over.
    void look() {
        if (!due_.is_due()) {
            return;
        }
        for (const int rank : node_->mates()) {
            if (node_->has_left(rank)) {
                const auto now = Clock::now();
                seen_ = seen_.value_or(now);
                if (now - *seen_ > enough) {
                    throw BrokenExchange({.cause = Breakage::Cause::absent, .rank = rank});
                }
                return;
            }
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds look_at_peers{100};
    static constexpr std::chrono::seconds enough{1};

    const memory::Node* node_;
    Recurring due_{look_at_peers};
    std::optional<Clock::time_point> seen_;
};

// A peer may come only after a wait in which it needs this rank.
void make_exchanges_advance() {
    Engine::instance().progress();
}

}  // namespace

std::shared_ptr<KnownCommunicator> KnownCommunicator::get(MPI_Comm comm) {
    if (auto known = mpi::attached_to(comm)) {
        return std::static_pointer_cast<KnownCommunicator>(std::move(known));
    }
    auto known = std::make_shared<KnownCommunicator>(comm);
    mpi::attach(comm, known);
    return known;
}

KnownCommunicator::KnownCommunicator(MPI_Comm comm)
    : communicators_(comm, make_exchanges_advance), node_(communicators_.base()) {}

// An exchange that outlives the user's communicator keeps this alive; when that ends is not known
// to other ranks, and so nothing can be freed then.
void KnownCommunicator::detached(bool finalizing, bool others_hold_it) noexcept {
    if (!finalizing && !others_hold_it && absent_ < 0) {
        communicators_.allow_freeing();
    }
}

const mpi::Communicator& KnownCommunicator::meet() {
    if (absent_ >= 0) {
        throw BrokenExchange({.cause = Breakage::Cause::absent, .rank = absent_});
    }
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibarrier(communicators_.base().handle(), &request), "MPI_Ibarrier");
    Watch watch(node_);
    try {
        mpi::complete(request, [&] {
            make_exchanges_advance();
            watch.look();
        });
    } catch (const BrokenExchange& error) {
        absent_ = error.breakage().rank;
        throw;
    }
    return communicators_.base();
}

mpi::CommunicatorPool::Loan KnownCommunicator::borrow() {
    (void)meet();
    return communicators_.borrow();
}

const Thresholds& KnownCommunicator::thresholds() {
    if (!thresholds_) {
        thresholds_ =
            std::make_unique<Thresholds>(measure_thresholds(communicators_.base(), node_));
    }
    return *thresholds_;
}

}  // namespace transrank::exchange
