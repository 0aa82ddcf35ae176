// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/communicator_pool.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/apply_order.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/failure.hpp"
#include "transrank/transport/offer.hpp"
#include "transrank/transport/polling.hpp"

namespace transrank::transport {

/// What transports have prepared together with other ranks, one of each type.
class Prepared {
public:
    template <class T>
    void keep(T what) {
        all_[typeid(T)] = std::make_shared<const T>(std::move(what));
    }
    /// nullptr where there is none.
    template <class T>
    [[nodiscard]] const T* find() const {
        const auto found = all_.find(typeid(T));
        return found == all_.end() ? nullptr : static_cast<const T*>(found->second.get());
    }

private:
    std::map<std::type_index, std::shared_ptr<const void>> all_;
};

/// The data shared by the transports of one exchange. It outlives them, as do its references.
struct Binding {
    const route::Route& route;
    std::span<const copy::Field> fields;
    /// As sent to the peers: of each set of arrays, one set after the other.
    std::span<const FieldOffer> own_fields;
    /// How many sets of arrays are bound; 0: any arrays may be given. Unless it is one the
    /// addresses of the fields are those of an epoch from its start to the next one.
    std::size_t sets;
    const std::uint64_t& set;       ///< the number of the one that this epoch moves
    const mpi::Communicator& comm;  ///< for what is over when it is bound
    int own_node;                   ///< the lowest rank of this node
    std::string_view wanted;        ///< a name of the table, or `automatic`
    bool together;                  ///< whether no start waits for another rank's wait
    std::optional<std::int64_t> push_below_bytes;
    copy::Operation operation;
    /// How transports that copy straight to the destination store there.
    copy::Stores stores;
    /// The bytes of all fields that this rank receives or, if that is more, sends.
    std::int64_t moved_bytes;
    /// A longer message is split.
    std::int64_t longest_message_bytes;
    /// This rank's words to its node-mates.
    ControlBlock& control;
    /// Whose data may be applied next.
    ApplyOrder& apply_order;
    /// What entries have prepared on this communicator, for all exchanges.
    Prepared& prepared_before;

    // Known when all ranks have met.

    /// For messages of transports that send them, with tags of the exchange's own, over a
    /// communicator that it shares with others; nullptr as long as none does.
    mpi::CommunicatorPool::Lease* messages = nullptr;
    /// The offers of the peers of the route, ascending by rank.
    std::span<const PeerOffer> offers{};
    Prepared prepared{};  ///< by entries, for this exchange
};

/// A way in which the data of some peers move. One object serves all peers of an exchange that it
/// was chosen for. It comes to life in three steps, so that what may fail on one rank alone
/// (memory, descriptors, mappings) never leaves the others waiting: Entry::make takes what this
/// rank needs of its own, `connect` communicates with the peers, `prepare` uses the result.
class Transport {
public:
    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Collective over its peers, of which some may decline. Fails only where MPI does.
    virtual void connect() {}

    /// Not collective; runs when the peers have connected, or declined. What fails then, or has
    /// failed before becomes the error of all ranks.
    virtual void prepare() {}

    /// Begins the exchange number `epoch`; the numbers ascend from 1. Sources are constant from
    /// here on. Does not wait.
    virtual void start(std::uint64_t epoch) = 0;

    /// Makes progress without waiting. Returns whether anything has advanced. Throws
    /// BrokenExchange when a peer has broken the exchange.
    virtual bool progress() = 0;

    /// Whether this epoch is over: what was to arrive has been applied, and nobody reads from this
    /// rank's sources any more.
    [[nodiscard]] virtual bool done() const = 0;

    /// The ranks of which something is still to come in this epoch. Not those whose data are there
    /// and only wait for their turn.
    [[nodiscard]] virtual std::vector<int> awaited() const = 0;

    [[nodiscard]] virtual Polling polling() const { return Polling::none; }

    /// How it moves data, and what it has measured: lines of text, if any.
    [[nodiscard]] virtual std::string explain() const { return ""; }

    /// Tells the peers that this rank will publish nothing more, without waiting for them: the
    /// exchange is broken, or (Cause::gone) destroyed here. The epochs up to `completed` were over
    /// on this rank.
    virtual void announce(const Failure& /*failure*/, std::uint64_t /*completed*/) {}

    /// Called once, after `announce` and before destruction: gives up what is under way. Returns
    /// false if the communicator may hold messages that no rank knows of.
    virtual bool leave() { return true; }
};

/// The transport that `auto` should prefer for a peer, and why.
struct Preference {
    std::string_view transport;
    std::string reason;
};

/// Whose data a transport moves. Where one is asked for by name, `auto` chooses for the others.
enum class Reach : std::uint8_t {
    itself,       ///< what a rank sends to itself; of one entry
    other_ranks,  ///< any
    other_nodes,
};

using Peers = std::span<const PeerOffer* const>;

[[nodiscard]] inline std::vector<int> ranks_of(Peers peers) {
    std::vector<int> ranks;
    for (const auto* peer : peers) {
        ranks.push_back(peer->rank);
    }
    return ranks;
}

/// A row of the table of transports.
struct Entry {
    std::string_view name;
    std::string_view summary;
    /// Empty when the transport can move this rank's data from and to that peer, else why not. Both
    /// ranks of a pair come to the same answer.
    std::string (*reason_against)(const Binding& binding, const PeerOffer& peer);
    /// Makes the transport for `peers`, a subset of the binding's offers. Not collective.
    std::unique_ptr<Transport> (*make)(const Binding& binding, Peers peers);
    /// Where `make` has failed for `peers`: in place of `connect`, so that they do not wait.
    /// Nothing for transports that do not communicate there.
    void (*decline)(const Binding& binding, Peers peers) = nullptr;
    Reach reach = Reach::other_ranks;
    /// Whether it needs the binding's messages.
    bool needs_messages = false;
    /// Whether it needs arrays in memory that transrank has allocated.
    bool needs_shared_arrays = false;
    /// What this rank needs prepared where the entry may be chosen, before any offer is known; 0:
    /// nothing. Where the sum over all ranks is not 0, all of them prepare it.
    std::uint64_t (*needed)(const Binding& binding, const memory::Node& node) = nullptr;
    /// Collective, with that sum, when offers are known.
    void (*prepare)(Binding& binding, const memory::Node& node, std::uint64_t needed) = nullptr;
    /// Asked where nothing speaks against it; both ranks of a pair come to the same answer.
    /// Without a function it is never better to take another one.
    std::optional<Preference> (*preference)(const Binding& binding,
                                            const PeerOffer& peer) = nullptr;
    /// What this rank would send by it where `automatic` leaves it out unasked: a line of text, if
    /// any.
    std::string (*alternative)(const Binding& binding) = nullptr;
};

[[nodiscard]] std::span<const Entry> all();

/// In place of a name: for each peer the first entry that can serve it and prefers no other.
inline constexpr std::string_view automatic = "auto";

/// Whether `wanted`, a name of the table or `automatic`, lets a peer be served by `entry`.
[[nodiscard]] bool may_choose(std::string_view wanted, const Entry& entry);

/// Throws std::invalid_argument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

/// Whether `wanted`, `auto` or a name of the table, is served better by arrays in memory that
/// transrank has allocated; false for other names.
[[nodiscard]] bool prefers_shared_arrays(std::string_view wanted);

}  // namespace transrank::transport
