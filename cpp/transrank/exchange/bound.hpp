// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/fitting.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// What is made when an exchange is bound, and what stays the same from one epoch to the next.
class Bound {
public:
    /// Collective, as Exchange's constructor, and throws what that throws.
    Bound(route::Route route, MPI_Comm comm, std::vector<transport::Field> fields, Options options);
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    ~Bound() = default;

    [[nodiscard]] int rank() const noexcept { return route_.rank(); }
    [[nodiscard]] const Transports& transports() const noexcept { return transports_; }
    [[nodiscard]] transport::Turn& turn() noexcept { return *turn_; }
    [[nodiscard]] const memory::Node& node() const noexcept { return known_->node(); }
    [[nodiscard]] const mpi::Communicator& comm() const noexcept { return loan_.comm(); }
    [[nodiscard]] std::string explain() const;

    /// Not collective; to be called before destruction. Tells whether the messages of all `epochs`
    /// have come, as far as this rank knows, and the peers know that it is gone, so that the
    /// communicator may be used again.
    void leave_communicator(std::uint64_t epochs, bool in_order) noexcept;

private:
    void take_what_is_needed();
    void swap_offers();
    void choose_transports();
    void settle_thresholds();
    [[nodiscard]] bool may_be_direct() const;

    route::Route route_;
    std::vector<transport::Field> fields_;
    Options options_;
    std::shared_ptr<KnownCommunicator> known_;
    mpi::CommunicatorPool::Loan loan_;
    std::vector<transport::FieldOffer> own_;
    std::optional<transport::ControlBlock> control_;
    std::optional<transport::Turn> turn_;
    std::vector<transport::PeerOffer> offers_;
    std::optional<transport::Binding> binding_;
    std::vector<Choice> choices_;
    Thresholds thresholds_{.push_below_bytes = default_push_below_bytes, .origin = "default"};
    Transports transports_;
};

}  // namespace transrank::exchange
