// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transrank/exchange/exchange.hpp"
#include "transrank/redistribution/options.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::redistribution {

/// What a route was made of.
enum class Cells : std::uint8_t {
    blocks,  ///< of grids on both sides
    points,  ///< a list on one side or on both
};

/// A route bound to fields: moves them again and again. Exchanges, one after the other.
class Movement {
public:
    explicit Movement(std::vector<exchange::Exchange> exchanges)
        : exchanges_(std::move(exchanges)) {}

    /// Collective over the peers. Returns when the destinations hold what was sent and nobody reads
    /// this rank's sources any more. Throws what Exchange::wait throws.
    void run() { (void)run_for(std::numeric_limits<double>::infinity()); }

    /// The same, but returns false when that takes much longer than so many seconds: it is under
    /// way then, and the next call goes on with it.
    bool run_for(double seconds);

    /// Gives it up because of something that forbids to run it. Not collective. Throws
    /// exchange::Misuse with the words `why`; peers are told.
    [[noreturn]] void abandon(const std::string& why);

    /// How the data of this rank go: a text for people.
    [[nodiscard]] std::string explain() const;

private:
    std::vector<exchange::Exchange> exchanges_;
    std::size_t next_ = 0;    ///< to be run
    bool under_way_ = false;  ///< whether that one has been started
};

/// Collective. Binds `route` to fields, which stay the caller's and must stay where they are.
/// Throws mpi::AgreedError, the same on every rank and before anything moved: what Exchange's
/// constructor throws, and an option that does not apply.
[[nodiscard]] std::unique_ptr<Movement> bind(const route::Route& route, Cells cells, MPI_Comm comm,
                                             const std::vector<transport::Field>& fields,
                                             const Options& options);

}  // namespace transrank::redistribution
