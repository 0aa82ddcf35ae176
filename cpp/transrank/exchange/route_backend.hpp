// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transrank/exchange/backend.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/fitting.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// A route bound to fields and transports.
class RouteBackend : public Backend {
public:
    /// Collective; throws as Exchange's constructor.
    RouteBackend(MPI_Comm comm, const std::function<Parts()>& make, Options options);

    [[nodiscard]] int rank() const noexcept override { return comm().rank(); }
    [[nodiscard]] const Transports& transports() const noexcept override { return transports_; }
    [[nodiscard]] const memory::Node& node() const noexcept override { return known_->node(); }
    [[nodiscard]] const mpi::Communicator& comm() const noexcept override {
        return lease_ ? lease_->comm() : known_->base();
    }
    [[nodiscard]] std::string explain() const override;
    [[nodiscard]] std::string reason_against() const override {
        return parts_.reason_against ? parts_.reason_against() : "";
    }
    void take(std::optional<std::span<const copy::Field>> arrays) override;
    void begin_epoch() noexcept override { apply_order_->reset(); }
    [[nodiscard]] mpi::CommunicatorPool::Lease* lease() noexcept override {
        return lease_ ? &*lease_ : nullptr;
    }

private:
    void bind(const std::function<Parts()>& make);
    void take_what_is_needed(const std::function<Parts()>& make);
    /// What a rank says when all meet. Their sums tell each of them what to do: how many refuse, 0
    /// where all agree, and for each entry that prepares something what is needed of it.
    using Sums = std::array<std::uint64_t, 6>;
    template <class Visit>
    void for_each_preparation(const Visit& visit) const;
    [[nodiscard]] Sums needed() const;
    [[noreturn]] void disagree(const std::exception_ptr& refused) const;
    void swap_offers();
    void prepare(const Sums& needed);
    void choose_transports();
    void choose_again(std::span<const Refusal> refusals);
    [[nodiscard]] bool needs_messages() const;

    void keep_sets();
    template <class Arrays>
    void move(const Arrays& arrays) noexcept;
    [[nodiscard]] const route::Route& route() const noexcept { return *parts_.route; }

    Parts parts_;                                  ///< its fields are where the epoch has them
    std::vector<std::vector<copy::Memory>> sets_;  ///< where the arrays were bound
    std::uint64_t set_ = 0;
    bool are_first_ = true;  ///< the arrays of the last epoch, among those
    Options options_;
    std::string named_by_;  ///< the environment variable that names the transport, if it does
    std::shared_ptr<KnownCommunicator> known_;
    std::optional<mpi::CommunicatorPool::Lease> lease_;  ///< where some rank sends messages
    std::vector<transport::FieldOffer> own_;
    std::optional<transport::ControlBlock> control_;
    std::optional<transport::ApplyOrder> apply_order_;
    std::vector<transport::PeerOffer> offers_;
    std::optional<transport::Binding> binding_;
    std::vector<Choice> choices_;
    Transports transports_;
};

}  // namespace transrank::exchange
