// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/known_communicator.hpp"

#include "transrank/exchange/engine.hpp"

namespace transrank::exchange {
namespace {

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
    if (!finalizing && !others_hold_it) {
        communicators_.allow_freeing();
    }
}

mpi::CommunicatorPool::Loan KnownCommunicator::borrow() {
    return communicators_.borrow(make_exchanges_advance);
}

const Thresholds& KnownCommunicator::thresholds() {
    if (!thresholds_) {
        thresholds_ =
            std::make_unique<Thresholds>(measure_thresholds(communicators_.base(), node_));
    }
    return *thresholds_;
}

}  // namespace transrank::exchange
