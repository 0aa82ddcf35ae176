// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/field.hpp"
#include "transrank/transport/offer.hpp"
#include "transrank/transport/turn.hpp"

namespace transrank::transport {

/// An exchange that another rank has broken: it was started twice, or its rank has ended.
class BrokenExchange : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What the transports of one exchange have in common. The references outlive them.
struct Binding {
    const route::Route& route;
    std::span<const Field> fields;
    std::span<const FieldOffer> own_fields;  ///< what this rank told of them
    const mpi::Communicator& comm;           ///< the exchange's own
    const memory::Node& node;
    Operation operation;
    /// Runs shorter than this are pushed by their sender, longer ones pulled by their receiver.
    std::int64_t push_below_bytes;
    /// This rank's words to its node-mates.
    ControlBlock& control;
    /// What the peers said of themselves, one for each peer of the route, ascending by rank.
    std::span<const PeerOffer> offers;
    /// Whose data may be applied next.
    Turn& turn;
};

/// A way in which the data of some peers move. One object serves all peers of an exchange that it
/// was chosen for. Only making and destroying it may be collective.
class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Begins the exchange number `epoch`; the numbers ascend from 1. Sources are constant from
    /// here on. Does not wait.
    virtual void start(std::uint64_t epoch) = 0;

    /// Does what can be done without waiting. Returns whether anything has advanced. Throws
    /// BrokenExchange when a peer has broken the exchange.
    virtual bool progress() = 0;

    /// Whether this epoch is over: what was to arrive has been applied, and nobody reads from this
    /// rank's sources any more.
    [[nodiscard]] virtual bool done() const = 0;

    /// A rank that it still waits for; -1 when there is none.
    [[nodiscard]] virtual int awaited() const = 0;

    /// Whether waiting means that MPI must be called again and again.
    [[nodiscard]] virtual bool polls_mpi() const = 0;
};

/// A row of the table of transports.
struct Entry {
    std::string_view name;
    std::string_view summary;
    /// Empty when the transport can move this rank's data from and to that peer, else why not. Both
    /// ranks of a pair come to the same answer.
    std::string (*obstacle)(const Binding& binding, const PeerOffer& peer);
    /// Whether it moves the data of all peers or of none.
    bool all_or_none;
    /// Makes the transport for `peers`, a subset of the binding's offers. Called on every rank of
    /// an exchange in which any rank uses it; collective if all_or_none.
    std::unique_ptr<Transport> (*make)(const Binding& binding,
                                       std::span<const PeerOffer* const> peers);
};

[[nodiscard]] std::span<const Entry> all();

/// Throws std::invalid_argument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace transrank::transport
