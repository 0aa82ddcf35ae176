// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transrank/collective/task.hpp"
#include "transrank/exchange/backend.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::collective {

/// One transport for all data, which has a communicator of its own.
class OneTransport final : public exchange::Backend {
public:
    /// Collective.
    explicit OneTransport(const Task& task) : OneTransport(task.known, task.arrays) {}
    /// Collective. Without arrays those of a start are not taken.
    explicit OneTransport(std::shared_ptr<exchange::KnownCommunicator> known,
                          std::shared_ptr<Arrays> arrays = nullptr)
        : known_(std::move(known)), arrays_(std::move(arrays)), lease_(known_->acquire()) {}

    [[nodiscard]] int rank() const noexcept override { return comm().rank(); }
    [[nodiscard]] const exchange::Transports& transports() const noexcept override {
        return transports_;
    }
    [[nodiscard]] const memory::Node& node() const noexcept override { return known_->node(); }
    [[nodiscard]] const mpi::Communicator& comm() const noexcept override { return lease_.comm(); }
    [[nodiscard]] std::string explain() const override { return explanation_; }
    void take(std::optional<std::span<const copy::Field>> given) override {
        arrays_ ? arrays_->take(given) : Backend::take(given);
    }
    [[nodiscard]] mpi::CommunicatorPool::Lease* lease() noexcept override { return &lease_; }

    /// `in_mpi`: moves the data of an epoch by one blocking call, if there is one.
    void carry_by(std::unique_ptr<transport::Transport> transport, std::string explanation,
                  std::function<void()> in_mpi = nullptr) {
        transports_.push_back(std::move(transport));
        explanation_ = std::move(explanation);
        in_mpi_ = std::move(in_mpi);
    }
    [[nodiscard]] bool runs_in_mpi() const noexcept override { return in_mpi_ != nullptr; }
    void run_in_mpi() override { in_mpi_(); }

private:
    std::shared_ptr<exchange::KnownCommunicator> known_;
    std::shared_ptr<Arrays> arrays_;
    mpi::CommunicatorPool::Lease lease_;
    std::string explanation_;
    std::function<void()> in_mpi_;
    exchange::Transports transports_;
};

}  // namespace transrank::collective
