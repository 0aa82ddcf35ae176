// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/node/node_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <set>

#include "transrank/copy/moves.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/node/node_link.hpp"
#include "transrank/transport/node/source_union.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {

/// What one rank moves to and from a peer on another node, in units.
struct NodePlan::Crossing {
    std::int32_t rank;
    std::int32_t peer;
    std::int32_t node;  ///< the peer's
    std::int32_t unused;
    std::int64_t out;
    std::int64_t in;
    /// What it sends to all ranks of that node, each unit once; 0: it sends no unit twice there.
    std::int64_t distinct;
};

/// What one rank tells its node, before its crossings.
struct NodePlan::Report {
    std::int64_t piece_bytes;
    std::int64_t shares_with_all;
    std::int64_t crossings;
};

namespace {

// Less than a fiftieth saved is not worth a list of places.
constexpr std::int64_t worthwhile = 50;

/// What both ranks of a pair tell each other.
struct Layout {
    std::int64_t possible = 0;
    std::int64_t out_leader = -1;
    std::int64_t in_leader = -1;
    std::int64_t bytes = 0;  ///< of the message to the reader's node
    std::int64_t piece_bytes = 0;
    std::int64_t place = 0;
    std::int64_t distinct_units = 0;
};

std::int64_t units(const route::Leg* leg) {
    return leg == nullptr ? 0 : leg->units();
}

std::vector<const route::Leg*> legs_to(std::span<const PeerOffer> offers, int node) {
    std::vector<const route::Leg*> legs;
    for (const auto& offer : offers) {
        if (offer.node == node && offer.send != nullptr) {
            legs.push_back(offer.send);
        }
    }
    return legs;
}

std::int64_t distinct_units_to(std::span<const PeerOffer> offers, int node) {
    const auto legs = legs_to(offers, node);
    if (legs.size() < 2 || !may_read_alike(legs)) {
        return 0;
    }
    const auto all =
        std::accumulate(legs.begin(), legs.end(), std::int64_t{0},
                        [](std::int64_t sum, const route::Leg* leg) { return sum + leg->units(); });
    const auto distinct = SourceUnion(legs).units();
    return all - distinct < all / worthwhile ? 0 : distinct;
}

void add_once(std::vector<int>& ranks, int rank) {
    if (ranks.empty() || ranks.back() != rank) {
        ranks.push_back(rank);
    }
}

// One rank for both directions where that can be: it then waits for MPI, and the others do not.
void appoint_leaders(NodePair& pair, std::size_t turn) {
    std::vector<int> both;
    std::ranges::set_intersection(pair.out.members, pair.in.members, std::back_inserter(both));
    for (auto* stream : {&pair.out, &pair.in}) {
        const auto& able = both.empty() ? stream->members : both;
        stream->leader = stream->members.empty() ? -1 : able[turn % able.size()];
    }
}

}  // namespace

OwnTraffic traffic_between_nodes(int own_node, std::span<const copy::Field> fields,
                                 std::span<const PeerOffer> offers) {
    OwnTraffic own;
    std::set<int> nodes;
    for (const auto& offer : offers) {
        if (offer.node != own_node && offer.send != nullptr) {
            ++own.messages;
            own.bytes += copy::packed_bytes(*offer.send, fields);
            nodes.insert(offer.node);
        }
    }
    own.common_messages = std::ssize(nodes);
    for (const int node : nodes) {
        const auto legs = legs_to(offers, node);
        auto units = distinct_units_to(offers, node);
        if (units == 0) {
            for (const auto* leg : legs) {
                units += leg->units();
            }
        }
        own.distinct_bytes += units * copy::unit_bytes_of(fields);
    }
    return own;
}

NodePlan::NodePlan(const mpi::Communicator& comm, const memory::Node& node,
                   std::span<const copy::Field> fields, std::span<const PeerOffer> offers)
    : node_(node) {
    std::vector<Crossing> own;
    for (const auto& offer : offers) {
        if (offer.node != node.ranks().front()) {
            const auto before = std::ranges::find(own, offer.node, &Crossing::node);
            own.push_back({.rank = comm.rank(),
                           .peer = offer.rank,
                           .node = offer.node,
                           .unused = 0,
                           .out = units(offer.send),
                           .in = units(offer.receive),
                           .distinct = before != own.end()
                                           ? before->distinct
                                           : distinct_units_to(offers, offer.node)});
        }
    }
    const Report report{.piece_bytes = known_piece_bytes(),
                        .shares_with_all = node.mates().size() == node.ranks().size() ? 1 : 0,
                        .crossings = std::ssize(own)};
    auto words = mpi::bytes_of(std::span(&report, 1));
    const auto further = mpi::bytes_of(std::span(std::as_const(own)));
    words.insert(words.end(), further.begin(), further.end());
    const auto all = mpi::gathered(comm, node.ranks(), plan_tag, std::move(words));
    std::vector<Crossing> crossings;
    bool possible = true;
    piece_bytes_ = mpi::values_in<Report>(std::span(all).first(sizeof(Report))).front().piece_bytes;
    for (std::span left(all); !left.empty();) {
        const auto theirs = mpi::values_in<Report>(left.first(sizeof(Report))).front();
        possible = possible && theirs.shares_with_all != 0;
        const auto bytes = static_cast<std::size_t>(theirs.crossings) * sizeof(Crossing);
        const auto its = mpi::values_in<Crossing>(left.subspan(sizeof(Report), bytes));
        crossings.insert(crossings.end(), its.begin(), its.end());
        left = left.subspan(sizeof(Report) + bytes);
    }
    lay_out(comm.rank(), crossings, offers, copy::unit_bytes_of(fields));
    for (auto& pair : pairs_) {
        pair.reason = possible ? "" : "not all ranks of this node share memory";
    }
    swap_layouts(comm, offers);
}

// What the ranks of a node send goes in their order; what one of them sends either once to all, or
// in the order of its peers.
void NodePlan::lay_out(int own_rank, std::span<const Crossing> crossings,
                       std::span<const PeerOffer> offers, std::int64_t unit_bytes) {
    std::set<int> nodes;
    for (const auto& crossing : crossings) {
        nodes.insert(crossing.node);
    }
    std::set<int> own_nodes;
    for (const auto& offer : offers) {
        if (offer.node != node_.ranks().front()) {
            own_nodes.insert(offer.node);
            places_.push_back({.rank = offer.rank});
        }
    }
    for (const int node : own_nodes) {
        auto& pair = pairs_.emplace_back();
        pair.node = node;
        std::int64_t begin_of_sender = 0;
        for (const auto& crossing : crossings) {
            if (crossing.node == node && crossing.in > 0) {
                add_once(pair.in.members, crossing.rank);
                ++pair.in.replaced;
            }
            if (crossing.node != node || crossing.out == 0) {
                continue;
            }
            const bool goes_once = crossing.distinct > 0;
            if (pair.out.members.empty() || pair.out.members.back() != crossing.rank) {
                pair.out.members.push_back(crossing.rank);
                begin_of_sender = pair.out.bytes;
                pair.out.bytes += crossing.distinct * unit_bytes;
            }
            if (crossing.rank == own_rank) {
                auto& place = *std::ranges::find(places_, crossing.peer, &NodePlace::rank);
                place.out = goes_once ? begin_of_sender : pair.out.bytes;
                place.out_distinct_units = crossing.distinct;
            }
            pair.out.bytes += goes_once ? 0 : crossing.out * unit_bytes;
            ++pair.out.replaced;
        }
        const auto turn = std::distance(nodes.begin(), nodes.find(node));
        appoint_leaders(pair, static_cast<std::size_t>(turn));
        pair.out.piece_bytes = piece_bytes_;
    }
}

void NodePlan::swap_layouts(const mpi::Communicator& comm, std::span<const PeerOffer> offers) {
    std::vector<int> peers;
    std::vector<Layout> sent;
    for (const auto& place : places_) {
        peers.push_back(place.rank);
        const auto& pair =
            pair_with(std::ranges::lower_bound(offers, place.rank, {}, &PeerOffer::rank)->node);
        sent.push_back({.possible = pair.reason.empty() ? 1 : 0,
                        .out_leader = pair.out.leader,
                        .in_leader = pair.in.leader,
                        .bytes = pair.out.bytes,
                        .piece_bytes = pair.out.piece_bytes,
                        .place = place.out,
                        .distinct_units = place.out_distinct_units});
    }
    const auto received = mpi::swapped_with(comm, peers, plan_tag, sent);
    for (std::size_t i = 0; i < received.size(); ++i) {
        const auto& layout = received[i];
        const auto& offer = *std::ranges::lower_bound(offers, peers[i], {}, &PeerOffer::rank);
        auto& pair = *std::ranges::find(pairs_, offer.node, &NodePair::node);
        pair.out.far_leader = static_cast<int>(layout.in_leader);
        pair.in.far_leader = static_cast<int>(layout.out_leader);
        pair.in.bytes = layout.bytes;
        pair.in.piece_bytes = layout.piece_bytes;
        places_[i].in = layout.place;
        places_[i].in_distinct_units = layout.distinct_units;
        if (layout.possible == 0 && pair.reason.empty()) {
            pair.reason = "not all ranks of its node share memory";
        }
    }
}

const NodePair& NodePlan::pair_with(int node) const {
    return *std::ranges::lower_bound(pairs_, node, {}, &NodePair::node);
}

const NodePlace& NodePlan::place_of(int rank) const {
    return *std::ranges::lower_bound(places_, rank, {}, &NodePlace::rank);
}

}  // namespace transrank::transport
