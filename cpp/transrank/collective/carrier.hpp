// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "transrank/collective/movement.hpp"
#include "transrank/exchange/carrier.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::collective {

/// One transport, which has a communicator of its own.
class Carrier final : public exchange::Carrier {
public:
    /// Collective.
    explicit Carrier(const Task& task) : known_(task.known), loan_(known_->borrow()) {}

    [[nodiscard]] int rank() const noexcept override { return comm().rank(); }
    [[nodiscard]] const exchange::Transports& transports() const noexcept override {
        return transports_;
    }
    [[nodiscard]] const memory::Node& node() const noexcept override { return known_->node(); }
    [[nodiscard]] const mpi::Communicator& comm() const noexcept override { return loan_.comm(); }
    [[nodiscard]] mpi::CommunicatorPool::Loan& loan() noexcept { return loan_; }

    /// `balance`: of what is sent and received in an epoch, see mpi::CommunicatorPool::Loan.
    void carry_by(std::unique_ptr<transport::Transport> transport, std::uint64_t balance) {
        transports_.push_back(std::move(transport));
        balance_ = balance;
    }
    /// An epoch that the exchange was not told of.
    void count_epoch() noexcept { ++further_epochs_; }

    void leave_communicator(std::uint64_t epochs, bool in_order) noexcept override {
        loan_.settle(balance_ * (epochs + further_epochs_));
        if (!in_order) {
            loan_.spoil();
        }
    }

private:
    std::shared_ptr<exchange::KnownCommunicator> known_;
    mpi::CommunicatorPool::Loan loan_;
    std::uint64_t balance_ = 0;
    std::uint64_t further_epochs_ = 0;
    exchange::Transports transports_;
};

}  // namespace transrank::collective
