// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "transrank/copy/field.hpp"
#include "transrank/exchange/fitting.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/communicator_pool.hpp"

namespace transrank::exchange {

/// Moves the data of an exchange in each epoch. Made once, collectively, and driven by Exchange,
/// which handles the order of calls, peers and errors, but knows nothing of routes.
class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual const Transports& transports() const noexcept = 0;
    [[nodiscard]] virtual const memory::Node& node() const noexcept = 0;
    /// The exchange's own, or one of all exchanges of these ranks.
    [[nodiscard]] virtual const mpi::Communicator& comm() const noexcept = 0;
    /// How the data of this rank go: a text for people.
    [[nodiscard]] virtual std::string explain() const { return ""; }

    /// Why no epoch may begin now; empty when one may.
    [[nodiscard]] virtual std::string reason_against() const { return ""; }

    /// The arrays of the next epoch; without them those that were bound first. Throws
    /// std::invalid_argument, and changes nothing, where they cannot be moved.
    virtual void take(std::optional<std::span<const copy::Field>> arrays) {
        if (arrays) {
            throw std::invalid_argument(
                "the arrays that this exchange moves are those that it was bound to");
        }
    }

    /// To be called before the transports start.
    virtual void begin_epoch() noexcept {}

    /// Whether one blocking call of MPI can move the data of an epoch, and that call.
    [[nodiscard]] virtual bool runs_in_mpi() const noexcept { return false; }
    virtual void run_in_mpi() {}

    /// Not collective. Called once, after the transports have announced that this rank leaves, and
    /// before destruction. After an error of MPI (not `works`) the communicator is never used
    /// again.
    void leave_communicator(std::uint64_t epochs, bool works) noexcept {
        if (auto* const own = lease()) {
            try {
                for (const auto& transport : transports()) {
                    works &= transport->leave();
                }
            } catch (...) {
                works = false;
            }
            if (runs_in_mpi()) {  // the sum is 0 if all ranks have called it equally often
                const auto self = static_cast<std::uint64_t>(rank());
                const auto next = (self + 1) % static_cast<std::uint64_t>(comm().size());
                own->set_balance(epochs * (mpi::mixed(self) - mpi::mixed(next)));
            }
            if (!works) {
                own->poison();
            }
        }
    }

    /// For its messages, if it has any.
    [[nodiscard]] virtual mpi::CommunicatorPool::Lease* lease() noexcept = 0;
};

}  // namespace transrank::exchange
