// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/offer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "transrank/mpi/error.hpp"

namespace transrank::transport {
namespace {

constexpr int tag = 1;

/// The fixed part of an offer; a FieldOffer for each field follows it.
struct Letter {
    std::uint64_t send_checksum;     ///< of what the writer sends to the reader
    std::uint64_t receive_checksum;  ///< of what it receives from the reader
    std::int64_t slot;               ///< of the reader in the writer's control block
    std::int64_t peers;
    std::int64_t fields;
    std::int64_t operation;
    memory::SegmentHandle control;
};
static_assert(std::is_trivially_copyable_v<Letter> && std::is_trivially_copyable_v<FieldOffer>);

// FNV-1a over the segments' numbers: 0 for no leg.
std::uint64_t checksum(const route::Leg* leg) {
    if (leg == nullptr) {
        return 0;
    }
    std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
    const auto add = [&sum](std::int64_t number) {
        sum = (sum ^ static_cast<std::uint64_t>(number)) * 0x0000'0100'0000'01B3U;
    };
    for (const auto& segment : leg->segments) {
        add(segment.source);
        add(segment.destination);
        add(segment.length);
        add(segment.count);
        add(segment.source_stride);
        add(segment.destination_stride);
    }
    return sum;
}

const route::Leg* leg_of(std::span<const route::Leg> legs, int peer) {
    const auto found = std::ranges::lower_bound(legs, peer, {}, &route::Leg::peer);
    return found != legs.end() && found->peer == peer ? &*found : nullptr;
}

std::vector<std::byte> write_letter(const Letter& letter, const std::vector<FieldOffer>& fields) {
    std::vector<std::byte> bytes(sizeof(Letter) + (fields.size() * sizeof(FieldOffer)));
    std::memcpy(bytes.data(), &letter, sizeof(Letter));
    if (!fields.empty()) {
        std::memcpy(bytes.data() + sizeof(Letter), fields.data(),
                    fields.size() * sizeof(FieldOffer));
    }
    return bytes;
}

// The number of fields may differ between ranks by mistake, so the length is asked for first.
std::vector<std::byte> receive_letter(const mpi::Communicator& comm, int peer) {
    MPI_Status status{};
    int length = 0;
    mpi::check(MPI_Probe(peer, tag, comm.handle(), &status), "MPI_Probe");
    mpi::check(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    std::vector<std::byte> bytes(static_cast<std::size_t>(length));
    mpi::check(
        MPI_Recv(bytes.data(), length, MPI_BYTE, peer, tag, comm.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
    return bytes;
}

std::string compare(const Letter& theirs, const std::vector<FieldOffer>& fields,
                    const PeerOffer& offer, const std::vector<FieldOffer>& own, Operation operation,
                    int rank) {
    const std::string pair = "ranks " + std::to_string(std::min(rank, offer.rank)) + " and " +
                             std::to_string(std::max(rank, offer.rank));
    if (theirs.operation != static_cast<std::int64_t>(operation)) {
        return pair + " bind an exchange with different operations";
    }
    if (theirs.fields != static_cast<std::int64_t>(own.size())) {
        return pair + " bind different numbers of fields (" + std::to_string(own.size()) +
               " on rank " + std::to_string(rank) + ", " + std::to_string(theirs.fields) +
               " on rank " + std::to_string(offer.rank) + ")";
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (fields[i].unit_bytes != own[i].unit_bytes || fields[i].scalar != own[i].scalar) {
            return pair + " bind field " + std::to_string(i) +
                   " with rows of different length or type (" + std::to_string(own[i].unit_bytes) +
                   " bytes on rank " + std::to_string(rank) + ", " +
                   std::to_string(fields[i].unit_bytes) + " bytes on rank " +
                   std::to_string(offer.rank) + ")";
        }
    }
    if (theirs.send_checksum != checksum(offer.receive) ||
        theirs.receive_checksum != checksum(offer.send)) {
        return pair + " hold routes that do not belong together; build or load them together";
    }
    return "";
}

}  // namespace

ControlBlock::ControlBlock(std::size_t peers)
    : peers_(peers),
      segment_((2 + (2 * peers)) * sizeof(Flag)),
      flags_(reinterpret_cast<Flag*>(segment_.bytes().data())) {
    for (std::size_t i = 0; i < 2 + (2 * peers); ++i) {
        new (flags_ + i) Flag;
    }
}

ControlBlock::View::View(const memory::SegmentHandle& handle, std::size_t peers)
    : mapping_(memory::MappedSegment::get(handle)),
      flags_(reinterpret_cast<const Flag*>(mapping_->bytes().data())),
      peers_(peers) {}

FieldOffer offer_of(const Field& field) {
    FieldOffer offer;
    offer.unit_bytes = field.unit_bytes;
    offer.scalar = static_cast<std::int64_t>(field.scalar);
    if (const auto place = memory::SharedSegment::find(
            field.source, static_cast<std::size_t>(field.source_bytes))) {
        offer.source_shared = 1;
        offer.source = place->handle;
        offer.source_offset = static_cast<std::int64_t>(place->offset);
    }
    if (const auto place = memory::SharedSegment::find(
            field.destination, static_cast<std::size_t>(field.destination_bytes))) {
        offer.destination_shared = 1;
        offer.destination = place->handle;
        offer.destination_offset = static_cast<std::int64_t>(place->offset);
    }
    return offer;
}

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
                                   Operation operation, const ControlBlock& control,
                                   std::string& disagreement) {
    const auto peers = peers_of(route);
    std::vector<std::vector<std::byte>> letters;
    std::vector<MPI_Request> requests(peers.size(), MPI_REQUEST_NULL);
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        const int peer = peers[slot];
        letters.push_back(write_letter(
            {.send_checksum = checksum(leg_of(route.sends(), peer)),
             .receive_checksum = checksum(leg_of(route.receives(), peer)),
             .slot = static_cast<std::int64_t>(slot),
             .peers = static_cast<std::int64_t>(peers.size()),
             .fields = static_cast<std::int64_t>(own.size()),
             .operation = static_cast<std::int64_t>(operation),
             .control = node.shares_with(peer) ? control.handle() : memory::SegmentHandle{}},
            own));
        mpi::check(MPI_Isend(letters.back().data(), static_cast<int>(letters.back().size()),
                             MPI_BYTE, peer, tag, comm.handle(), &requests[slot]),
                   "MPI_Isend");
    }
    std::vector<PeerOffer> offers;
    for (std::size_t slot = 0; slot < peers.size(); ++slot) {
        const auto bytes = receive_letter(comm, peers[slot]);
        Letter letter{};
        std::memcpy(&letter, bytes.data(), sizeof(Letter));
        auto& offer = offers.emplace_back();
        offer.rank = peers[slot];
        offer.my_slot = static_cast<std::size_t>(letter.slot);
        offer.slot = slot;
        offer.peers = static_cast<std::size_t>(letter.peers);
        offer.control = letter.control;
        offer.send = leg_of(route.sends(), peers[slot]);
        offer.receive = leg_of(route.receives(), peers[slot]);
        offer.fields.resize(static_cast<std::size_t>(letter.fields));
        if (!offer.fields.empty()) {
            std::memcpy(offer.fields.data(), bytes.data() + sizeof(Letter),
                        offer.fields.size() * sizeof(FieldOffer));
        }
        if (disagreement.empty()) {
            disagreement = compare(letter, offer.fields, offer, own, operation, comm.rank());
        }
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
               "MPI_Waitall");
    return offers;
}

}  // namespace transrank::transport
