// SPDX-License-Identifier: BSD-3-Clause
// One message per pair of nodes and direction. The ranks of a node that send to the other node pack
// into memory that they share, one of them, the leader, sends it, the leader of the other node
// receives it into memory that its node shares, and each rank there unpacks what it wants. What a
// rank sends to several ranks of a node goes once. The message of an epoch leaves when all have
// packed, and the next one is packed when it has left: so a leader needs the ranks of its node to
// start, and they need it to make progress, whether or not they are peers.
//
// Only leaders call MPI, so the others can sleep until their doorbell rings, and have no
// connection to another node. A rank that breaks the exchange tells the members of its messages by
// a flag and, if it is a leader, its counterparts by a notice; each of them breaks then, and tells
// its own.
#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/node/node_link.hpp"
#include "transrank/transport/node/node_part.hpp"
#include "transrank/transport/node/source_union.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

/// What this rank has to do with one other node.
struct Crossing {
    const NodePair& pair;
    std::vector<const PeerOffer*> peers;  ///< there
    std::optional<Outgoing> out;
    std::optional<Incoming> in;
    /// Of each peer: where the units of the leg's runs begin, if it sends them once to all.
    std::vector<std::vector<std::int64_t>> places;

    template <class Visit>
    void for_each_part(const Visit& visit) {
        if (out) {
            visit(*out);
        }
        if (in) {
            visit(*in);
        }
    }
};

std::vector<Crossing> crossings_of(const Binding& binding, Peers peers) {
    std::vector<Crossing> crossings;
    const int rank = binding.route.rank();
    for (const auto& pair : plan_of(binding).pairs()) {
        Crossing crossing{
            .pair = pair, .peers = {}, .out = std::nullopt, .in = std::nullopt, .places = {}};
        for (const auto* peer : peers) {
            if (peer->node == pair.node) {
                crossing.peers.push_back(peer);
            }
        }
        if (crossing.peers.empty()) {
            continue;
        }
        if (std::ranges::binary_search(pair.out.members, rank)) {
            crossing.out.emplace(binding, pair.out);
        }
        if (std::ranges::binary_search(pair.in.members, rank)) {
            crossing.in.emplace(binding, pair.in);
        }
        crossings.push_back(std::move(crossing));
    }
    return crossings;
}

/// What ranks write to each other when they connect, all at once.
class SetupMessages {
public:
    explicit SetupMessages(const mpi::Communicator& comm) : comm_(comm) {}

    /// The items must stay until `wait`.
    template <class T>
    void receive(int rank, std::span<T> items) {
        mpi::in_pieces(std::as_writable_bytes(items), mpi::largest_int_count, [&](auto words) {
            auto& request = requests_.emplace_back(MPI_REQUEST_NULL);
            request = mpi::begin_receive(words, {.comm = comm_, .rank = rank, .tag = plan_tag});
        });
    }
    template <class T>
    void send(int rank, std::span<const T> items) {
        mpi::in_pieces(std::as_bytes(items), mpi::largest_int_count, [&](auto words) {
            auto& request = requests_.emplace_back(MPI_REQUEST_NULL);
            request = mpi::begin_send(words, {.comm = comm_, .rank = rank, .tag = plan_tag});
        });
    }
    void wait() { comm_.complete(requests_, nullptr); }

private:
    const mpi::Communicator& comm_;
    std::vector<MPI_Request> requests_;
};

// Where the units of the runs of each leg to a node begin.
std::vector<std::vector<std::int64_t>> places_at(const Crossing& crossing, const NodePlan& plan) {
    std::vector<const route::Leg*> legs;
    for (const auto* peer : crossing.peers) {
        if (peer->send != nullptr && plan.place_of(peer->rank).out_distinct_units > 0) {
            legs.push_back(peer->send);
        }
    }
    const SourceUnion all(legs);
    std::vector<std::vector<std::int64_t>> places;
    for (const auto* leg : legs) {
        auto& begins = places.emplace_back();
        route::for_each_run(
            *leg, [&](std::int64_t source, std::int64_t /*destination*/, std::int64_t /*length*/) {
                begins.push_back(all.position(source));
            });
    }
    return places;
}

// Leaders tell the other members where the box is, senders their receivers where the units are
// that go once to several. Returns the handles, an outgoing and an incoming one for each crossing.
std::vector<memory::BlockHandle> connect_all(const Binding& binding,
                                             std::vector<Crossing>& crossings) {
    SetupMessages messages(binding.comm);
    std::vector<memory::BlockHandle> handles(2 * crossings.size());
    std::vector<std::vector<std::vector<std::int64_t>>> places_of_all;
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        auto& crossing = crossings[i];
        std::size_t next = 2 * i;
        crossing.for_each_part([&](const Part& part) {
            const std::span handle(&handles[next], 1);
            next = (2 * i) + 1;
            if (!part.is_leader()) {
                messages.receive(part.stream().leader, handle);
                return;
            }
            if (part.box()) {
                handle.front() = part.box()->handle();
            }
            for (const int member : part.stream().members) {
                if (member != part.stream().leader) {
                    messages.send(member, std::span<const memory::BlockHandle>(handle));
                }
            }
        });
        const auto& places = places_of_all.emplace_back(places_at(crossing, plan_of(binding)));
        std::size_t sent = 0;
        for (const auto* peer : crossing.peers) {
            auto& begins = crossing.places.emplace_back();
            const auto& place = plan_of(binding).place_of(peer->rank);
            if (peer->receive != nullptr && place.in_distinct_units > 0) {
                begins.resize(static_cast<std::size_t>(peer->receive->runs()));
                messages.receive(peer->rank, std::span(begins));
            }
            if (peer->send != nullptr && place.out_distinct_units > 0) {
                messages.send(peer->rank, std::span(places[sent++]));
            }
        }
    }
    try {
        messages.wait();
    } catch (...) {  // MPI may still use all of these
        mpi::keep_for_ever(
            std::make_shared<
                std::tuple<decltype(handles), decltype(places_of_all), std::vector<Crossing>>>(
                std::move(handles), std::move(places_of_all), std::move(crossings)));
        throw;
    }
    return handles;
}

// The ranks that notices go to: the other leaders of what this rank carries.
std::vector<int> notified(const std::vector<Crossing>& crossings) {
    std::vector<int> ranks;
    for (const auto& crossing : crossings) {
        if (crossing.out && crossing.out->is_leader()) {
            ranks.push_back(crossing.pair.out.far_leader);
        }
        if (crossing.in && crossing.in->is_leader()) {
            ranks.push_back(crossing.pair.in.far_leader);
        }
    }
    std::ranges::sort(ranks);
    ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
    return ranks;
}

// Whether this rank carries messages to a node and none from it.
bool carries_one_way(const std::vector<Crossing>& crossings) {
    return std::ranges::any_of(crossings, [](const Crossing& crossing) {
        return crossing.out && crossing.out->is_leader() &&
               !(crossing.in && crossing.in->is_leader());
    });
}

class NodeStaged final : public Transport {
public:
    NodeStaged(const Binding& binding, Peers peers)
        : binding_(binding),
          crossings_(crossings_of(binding, peers)),
          notices_(*binding.messages, notified(crossings_), carries_one_way(crossings_),
                   node_notice_tag) {
        for_each_part([&](Part& part) {
            part.find_doorbells(binding);
            if (part.is_leader()) {
                part.allocate();
            }
        });
    }

    void connect() override { handles_ = connect_all(binding_, crossings_); }

    // A leader that has no memory has sent an empty handle; its refusal is all ranks'.
    void prepare() override {
        for (std::size_t i = 0; i < crossings_.size(); ++i) {
            auto& [pair, peers, out, in, places] = crossings_[i];
            std::size_t next = 2 * i;
            bool all_there = true;
            crossings_[i].for_each_part([&](Part& part) {
                const auto& handle = handles_[next];
                next = (2 * i) + 1;
                all_there = all_there && handle.is_shared();
                if (!part.is_leader() && handle.is_shared()) {
                    part.map(handle);
                }
            });
            if (all_there && in) {
                in->prepare(binding_, peers, places, carried_);
            }
            if (all_there && out) {
                out->prepare(binding_, peers, carried_);
            }
        }
    }

    // Receives come first, so that they are ready before anything is sent.
    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        for_each_part([&](auto& part) { part.start(epoch); });
    }

    bool progress() override {
        carried_.collect();
        bool advanced = false;
        for (auto& crossing : crossings_) {
            advanced |= crossing.in && crossing.in->progress(carried_, binding_.apply_order);
        }
        for (auto& crossing : crossings_) {
            advanced |= crossing.out && crossing.out->progress(carried_);
        }
        if (!advanced && !done()) {
            for_each_part([](const auto& part) { part.check(); });
            notices_.check_now_and_then(epoch_);
        }
        return advanced;
    }

    [[nodiscard]] bool done() const override {
        return std::ranges::all_of(crossings_, [](const Crossing& crossing) {
            return (!crossing.out || crossing.out->is_done()) &&
                   (!crossing.in || crossing.in->is_done());
        });
    }

    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        for (const auto& crossing : crossings_) {
            if (crossing.out) {
                crossing.out->add_awaited(ranks);
            }
            if (crossing.in) {
                crossing.in->add_awaited(ranks);
            }
        }
        return ranks;
    }

    [[nodiscard]] Polling polling() const override {
        return carried_.any_pending() ? Polling::for_node : Polling::none;
    }

    [[nodiscard]] std::string explain() const override {
        std::ostringstream text;
        for (const auto& [pair, peers, out, in, places] : crossings_) {
            text << (text.tellp() > 0 ? "\n" : "") << "node-staged, the node of rank " << pair.node
                 << ":";
            if (out) {
                text << " sends " << pair.out.bytes << " bytes for " << pair.out.replaced
                     << " pairs of ranks, from rank " << pair.out.leader << " to rank "
                     << pair.out.far_leader << (in ? ";" : "");
            }
            if (in) {
                text << " receives " << pair.in.bytes << " for " << pair.in.replaced << ", by rank "
                     << pair.in.leader << " from rank " << pair.in.far_leader;
            }
        }
        return text.str();
    }

    void announce(const Failure& failure, std::uint64_t completed) override {
        for_each_part([&](Part& part) { part.publish(failure); });
        notices_.send(failure, completed, carried_.traffic());
    }
    bool leave() override {
        carried_.abandon();
        return notices_.leave(carried_.traffic());
    }

private:
    template <class Visit>
    void for_each_part(const Visit& visit) {
        for (auto& crossing : crossings_) {
            crossing.for_each_part(visit);
        }
    }

    const Binding& binding_;
    std::vector<Crossing> crossings_;
    std::vector<memory::BlockHandle> handles_;
    Notices notices_;
    Carried carried_;
    std::uint64_t epoch_ = 0;
};

std::string reason_against(const Binding& binding, const PeerOffer& peer) {
    if (peer.rank == binding.route.rank()) {
        return "the rank itself";
    }
    if (peer.node == binding.own_node) {
        return "on this node";
    }
    const auto* plan = binding.prepared.find<NodePlan>();
    if (plan == nullptr) {
        return "not asked for";
    }
    const auto& pair = plan->pair_with(peer.node);
    if (pair.reason.empty() && binding.wanted == automatic &&
        std::max(pair.out.replaced, pair.in.replaced) <= 1) {
        return "no two pairs of ranks of these nodes send in the same direction";
    }
    return pair.reason;
}

std::string counted(std::int64_t number, const std::string& noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string alternative(const Binding& binding) {
    if (binding.wanted != automatic || binding.together) {
        return "";
    }
    const auto own = traffic_between_nodes(binding.own_node, binding.fields, binding.offers);
    return own.messages == 0
               ? ""
               : "to other nodes this rank sends " + counted(own.messages, "message") + ", " +
                     counted(own.bytes, "byte") +
                     "; with the option together it would have a part in " +
                     counted(own.common_messages, "message") + " of its node, " +
                     counted(own.distinct_bytes, "byte") + " (node-staged)";
}

constexpr auto unknown_link = std::uint64_t{1} << 32U;  // no sum of 1 for each rank reaches it

// Only if it is asked for, since a wait then needs ranks that are no peers.
std::uint64_t needed(const Binding& binding, const memory::Node& node) {
    const bool crosses = std::ranges::any_of(peers_of(binding.route), [&](int peer) {
        return !std::ranges::binary_search(node.ranks(), peer);
    });
    if ((binding.wanted == automatic && !binding.together) || !crosses) {
        return 0;
    }
    return link_is_known() ? 1 : 1 + unknown_link;
}

void prepare(Binding& binding, const memory::Node& node, std::uint64_t needed) {
    if (needed >= unknown_link) {
        measure_link(binding.comm, node);
    }
    binding.prepared.keep(NodePlan(binding.comm, node, binding.fields, binding.offers));
}

// Without boxes.
void decline(const Binding& binding, Peers peers) {
    auto crossings = crossings_of(binding, peers);
    (void)connect_all(binding, crossings);
}

}  // namespace

Entry node_staged() {
    return {.name = "node-staged",
            .summary = "one message per pair of nodes, gathered and scattered in shared memory",
            .reason_against = reason_against,
            .make = make<NodeStaged>,
            .decline = decline,
            .reach = Reach::other_nodes,
            .needs_messages = true,
            .needed = needed,
            .prepare = prepare,
            .alternative = alternative};
}

}  // namespace transrank::transport
