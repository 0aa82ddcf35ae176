// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/offer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "transrank/mpi/delivery.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

/// The fixed part of what is written to a peer; a FieldOffer for each field follows it.
struct Head {
    std::uint64_t send_checksum;     ///< of what the writer sends to the reader
    std::uint64_t receive_checksum;  ///< of what it receives from the reader
    std::int64_t slot;               ///< of the reader in the writer's control block
    std::int64_t peers;
    std::int64_t fields;
    std::int64_t ordered;
    memory::BlockHandle control;
};
static_assert(std::is_trivially_copyable_v<Head> && std::is_trivially_copyable_v<FieldOffer>);

// 0 for no leg.
std::uint64_t checksum(const route::Leg* leg) {
    return leg == nullptr ? 0 : route::checksum(*leg);
}

mpi::Message write_message(int peer, const Head& head, const std::vector<FieldOffer>& fields) {
    mpi::Message message{
        .peer = peer,
        .bytes = std::vector<std::byte>(sizeof(Head) + (fields.size() * sizeof(FieldOffer)))};
    std::memcpy(message.bytes.data(), &head, sizeof(Head));
    if (!fields.empty()) {
        std::memcpy(message.bytes.data() + sizeof(Head), fields.data(),
                    fields.size() * sizeof(FieldOffer));
    }
    return message;
}

// A message as the offer that it makes, and the checksums of what its writer sends and receives.
struct Reading {
    PeerOffer offer;
    std::uint64_t send_checksum;
    std::uint64_t receive_checksum;
};

Reading read_message(const mpi::Message& message) {
    Head head{};
    std::memcpy(&head, message.bytes.data(), sizeof(Head));
    Reading reading{.offer = {},
                    .send_checksum = head.send_checksum,
                    .receive_checksum = head.receive_checksum};
    auto& offer = reading.offer;
    offer.rank = message.peer;
    offer.my_slot = static_cast<std::size_t>(head.slot);
    offer.peers = static_cast<std::size_t>(head.peers);
    offer.ordered = head.ordered != 0;
    offer.control = head.control;
    offer.fields.resize(static_cast<std::size_t>(head.fields));
    if (!offer.fields.empty()) {
        std::memcpy(offer.fields.data(), message.bytes.data() + sizeof(Head),
                    offer.fields.size() * sizeof(FieldOffer));
    }
    return reading;
}

std::string pair(int one, int other) {
    return "ranks " + std::to_string(std::min(one, other)) + " and " +
           std::to_string(std::max(one, other));
}

std::string compare_fields(const PeerOffer& theirs, const std::vector<FieldOffer>& own, int rank) {
    if (theirs.fields.size() != own.size()) {
        return pair(rank, theirs.rank) + " bind different numbers of fields (" +
               std::to_string(own.size()) + " on rank " + std::to_string(rank) + ", " +
               std::to_string(theirs.fields.size()) + " on rank " + std::to_string(theirs.rank) +
               ")";
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto& field = theirs.fields[i];
        if (field.unit_bytes != own[i].unit_bytes || field.scalar != own[i].scalar) {
            return pair(rank, theirs.rank) + " bind field " + std::to_string(i) +
                   " with rows of different length or type (" + std::to_string(own[i].unit_bytes) +
                   " bytes on rank " + std::to_string(rank) + ", " +
                   std::to_string(field.unit_bytes) + " bytes on rank " +
                   std::to_string(theirs.rank) + ")";
        }
    }
    return "";
}

std::string compare(const Reading& theirs, const route::Route& route,
                    const std::vector<FieldOffer>& own) {
    const int peer = theirs.offer.rank;
    if (theirs.send_checksum != checksum(route::find_leg(route.receives(), peer)) ||
        theirs.receive_checksum != checksum(route::find_leg(route.sends(), peer))) {
        return pair(route.rank(), peer) +
               " hold routes that do not belong together; build or load them together";
    }
    return compare_fields(theirs.offer, own, route.rank());
}

// Of a peer that wrote although this rank has no leg with it, or the other way round.
std::string compare_peers(std::span<const mpi::Message> messages, std::span<const int> peers,
                          int rank) {
    for (const auto& message : messages) {
        if (!std::ranges::binary_search(peers, message.peer)) {
            return "rank " + std::to_string(message.peer) +
                   " has a route that moves data to or from rank " + std::to_string(rank) +
                   ", whose own route has no such leg; build or load them together";
        }
    }
    for (const int peer : peers) {
        if (!std::ranges::binary_search(messages, peer, {}, &mpi::Message::peer)) {
            return "rank " + std::to_string(rank) +
                   " has a route that moves data to or from rank " + std::to_string(peer) +
                   ", whose own route has no such leg; build or load them together";
        }
    }
    return "";
}

std::vector<mpi::Message> write_messages(const memory::Node& node, const route::Route& route,
                                         std::span<const int> peers,
                                         const std::vector<FieldOffer>& own, bool ordered,
                                         const ControlBlock& control) {
    std::vector<mpi::Message> messages;
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        const int peer = peers[slot];
        messages.push_back(write_message(
            peer,
            {.send_checksum = checksum(route::find_leg(route.sends(), peer)),
             .receive_checksum = checksum(route::find_leg(route.receives(), peer)),
             .slot = static_cast<std::int64_t>(slot),
             .peers = static_cast<std::int64_t>(peers.size()),
             .fields = static_cast<std::int64_t>(own.size()),
             .ordered = ordered ? 1 : 0,
             .control = node.shares_with(peer) ? control.handle() : memory::BlockHandle{}},
            own));
    }
    return messages;
}

// Both ranks of a pair find one, or neither does.
std::string shared_obstacle(const memory::Node& node, int peer, const ControlBlock& own,
                            const memory::BlockHandle& theirs) {
    if (!node.shares_with(peer)) {
        return node.obstacle(peer);
    }
    if (!own.handle().is_shared()) {
        return own.obstacle();
    }
    return theirs.is_shared() ? "" : "it could not allocate shared memory";
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

std::vector<PeerOffer> swap_offers(const mpi::Communicator& comm, const memory::Node& node,
                                   const route::Route& route, const std::vector<FieldOffer>& own,
                                   bool ordered, const ControlBlock& control,
                                   std::string& disagreement) {
    const auto peers = peers_of(route);
    const auto messages =
        mpi::deliver(comm, write_messages(node, route, peers, own, ordered, control), offer_tag);
    disagreement = compare_peers(messages, peers, comm.rank());
    std::vector<PeerOffer> offers;
    for (std::size_t slot = 0; slot < messages.size() && disagreement.empty(); ++slot) {
        auto reading = read_message(messages[slot]);
        disagreement = compare(reading, route, own);
        auto& offer = offers.emplace_back(std::move(reading.offer));
        offer.slot = slot;
        offer.send = route::find_leg(route.sends(), offer.rank);
        offer.receive = route::find_leg(route.receives(), offer.rank);
        if (offer.rank != comm.rank()) {
            offer.shared_obstacle = shared_obstacle(node, offer.rank, control, offer.control);
        }
        if (node.shares_with(offer.rank)) {
            offer.doorbell = &node.doorbell(offer.rank);
        }
    }
    return offers;
}

}  // namespace transrank::transport
