// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/offer.hpp"

#include <algorithm>
#include <exception>

#include "transrank/mpi/delivery.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

/// The fixed part of what is written to a peer; a FieldOffer for each field follows it.
struct Head {
    std::int64_t slot;  ///< of the reader in the writer's control block
    std::int64_t peers;
    std::int64_t ordered;
    std::int64_t node;
    memory::BlockHandle control;
};

/// What is written to find out what ranks disagree about.
struct Claim {
    std::uint64_t send_checksum;     ///< of what the writer sends to the reader
    std::uint64_t receive_checksum;  ///< of what it receives from the reader
};

// 0 for no leg.
std::uint64_t checksum(const route::Leg* leg) {
    return leg == nullptr ? 0 : route::checksum(*leg);
}

std::string pair(int one, int other) {
    return "ranks " + std::to_string(std::min(one, other)) + " and " +
           std::to_string(std::max(one, other));
}

std::string compare(const mpi::Message& message, const route::Route& route) {
    const int peer = message.peer;
    const auto theirs = mpi::values_in<Claim>(message.bytes).front();
    if (theirs.send_checksum != checksum(route::find_leg(route.receives(), peer)) ||
        theirs.receive_checksum != checksum(route::find_leg(route.sends(), peer))) {
        return pair(route.rank(), peer) +
               " hold routes that do not belong together; build or load them together";
    }
    return "";
}

// Of a peer that wrote although this rank has no leg with it, or the other way round.
std::string compare_peers(std::span<const mpi::Message> messages, std::span<const int> peers,
                          int rank) {
    const auto difference = [](int one, int other) {
        return "rank " + std::to_string(one) + " has a route that moves data to or from rank " +
               std::to_string(other) +
               ", whose own route has no such leg; build or load them together";
    };
    for (const auto& message : messages) {
        if (!std::ranges::binary_search(peers, message.peer)) {
            return difference(message.peer, rank);
        }
    }
    for (const int peer : peers) {
        if (!std::ranges::binary_search(messages, peer, {}, &mpi::Message::peer)) {
            return difference(rank, peer);
        }
    }
    return "";
}

// Both ranks of a pair find one, or neither does.
std::string reason_against_sharing(const memory::Node& node, int peer, const ControlBlock& own,
                                   const memory::BlockHandle& theirs) {
    if (!node.shares_with(peer)) {
        return node.reason_against(peer);
    }
    if (!own.handle().is_shared()) {
        return own.reason();
    }
    return theirs.is_shared() ? "" : "it could not allocate shared memory";
}

// What fails here is told when a transport needs it: then the peer can be told, too.
void map_doorbell(const memory::Node& node, PeerOffer& offer) {
    try {
        offer.doorbell = &node.doorbell(offer.rank);
        offer.process = node.process(offer.rank);
    } catch (const std::exception& error) {
        offer.no_doorbell = error.what();
    }
}

}  // namespace

std::vector<int> peers_of(const route::Route& route) {
    std::vector<int> peers;
    for (const auto legs : {route.sends(), route.receives()}) {
        std::ranges::transform(legs, std::back_inserter(peers), &route::Leg::peer);
    }
    std::ranges::sort(peers);
    const auto repeated = std::ranges::unique(peers);
    peers.erase(repeated.begin(), repeated.end());
    return peers;
}

std::uint64_t imprint(const route::Route& route) {
    const auto imprint_of = [](int sender, int receiver, const route::Leg& leg) {
        route::Checksum sum;
        for (const int rank : {sender, receiver}) {
            sum.add(static_cast<std::uint64_t>(rank));
        }
        sum.add(checksum(&leg));
        return sum.value();
    };
    std::uint64_t balance = 0;
    for (const auto& leg : route.sends()) {
        balance += imprint_of(route.rank(), leg.peer, leg);
    }
    for (const auto& leg : route.receives()) {
        balance -= imprint_of(leg.peer, route.rank(), leg);
    }
    return balance;
}

std::string find_disagreement(const mpi::Communicator& comm, const route::Route& route) {
    const auto peers = peers_of(route);
    std::vector<mpi::Message> claims;
    for (const int peer : peers) {
        const Claim claim{.send_checksum = checksum(route::find_leg(route.sends(), peer)),
                          .receive_checksum = checksum(route::find_leg(route.receives(), peer))};
        claims.push_back({.peer = peer, .bytes = mpi::bytes_of(std::span(&claim, 1))});
    }
    const auto messages = mpi::deliver(comm, std::move(claims), offer_tag);
    auto disagreement = compare_peers(messages, peers, comm.rank());
    for (std::size_t i = 0; i < messages.size() && disagreement.empty(); ++i) {
        disagreement = compare(messages[i], route);
    }
    return disagreement;
}

std::vector<PeerOffer> swap_offers(const mpi::Communicator& comm, const memory::Node& node,
                                   const route::Route& route, const std::vector<FieldOffer>& own,
                                   bool ordered, const ControlBlock& control) {
    const auto peers = peers_of(route);
    std::vector<std::byte> sent;
    const auto add = [&](const std::vector<std::byte>& bytes) {
        sent.insert(sent.end(), bytes.begin(), bytes.end());
    };
    const auto fields = mpi::bytes_of(std::span(own));
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        const Head head{
            .slot = static_cast<std::int64_t>(slot),
            .peers = static_cast<std::int64_t>(peers.size()),
            .ordered = ordered ? 1 : 0,
            .node = node.ranks().front(),
            .control = node.shares_with(peers[slot]) ? control.handle() : memory::BlockHandle{}};
        add(mpi::bytes_of(std::span(&head, 1)));
        add(fields);
    }
    const auto received = mpi::swapped_with(comm, peers, offer_tag, std::move(sent));
    const auto bytes = sizeof(Head) + fields.size();
    std::vector<PeerOffer> offers(peers.size());
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        auto& offer = offers[slot];
        const auto words = std::span(received).subspan(slot * bytes, bytes);
        const auto head = mpi::values_in<Head>(words.first(sizeof(Head))).front();
        offer.fields = mpi::values_in<FieldOffer>(words.subspan(sizeof(Head)));
        offer.rank = peers[slot];
        offer.my_slot = static_cast<std::size_t>(head.slot);
        offer.slot = slot;
        offer.peers = static_cast<std::size_t>(head.peers);
        offer.ordered = head.ordered != 0;
        offer.node = static_cast<int>(head.node);
        offer.control = head.control;
        offer.send = route::find_leg(route.sends(), offer.rank);
        offer.receive = route::find_leg(route.receives(), offer.rank);
        if (offer.rank != comm.rank()) {
            offer.reason_against_sharing =
                reason_against_sharing(node, offer.rank, control, offer.control);
        }
        if (node.shares_with(offer.rank)) {
            offer.reason_against_reading = node.reason_against_reading(offer.rank);
            map_doorbell(node, offer);
        }
    }
    return offers;
}

}  // namespace transrank::transport
