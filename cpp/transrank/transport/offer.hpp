// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/control_block.hpp"

namespace transrank::transport {

/// Where one field of a rank lies, for those who share memory with it.
struct FieldOffer {
    std::int64_t unit_bytes = 0;
    std::int64_t scalar = 0;
    std::int64_t has_view = 0;   ///< 1: on some side it lies there with gaps
    memory::BlockHandle source;  ///< empty where it is private
    std::int64_t source_offset = 0;
    memory::BlockHandle destination;
    std::int64_t destination_offset = 0;
};

/// This rank's offer of a field. Peers reach into arrays that stay where they are, and lie there
/// without gaps.
[[nodiscard]] inline FieldOffer offer_of(const copy::Field& field, bool stays) {
    FieldOffer offer;
    offer.unit_bytes = field.unit_bytes;
    offer.scalar = static_cast<std::int64_t>(field.scalar);
    offer.has_view = field.source_view != nullptr || field.destination_view != nullptr ? 1 : 0;
    const auto find = [&](const std::byte* array, std::int64_t bytes, bool has_view,
                          memory::BlockHandle& handle, std::int64_t& offset) {
        if (stays && !has_view) {
            if (const auto place =
                    memory::SharedBlock::find(array, static_cast<std::size_t>(bytes))) {
                handle = place->handle;
                offset = static_cast<std::int64_t>(place->offset);
            }
        }
    };
    find(field.source, field.source_bytes, field.source_view != nullptr, offer.source,
         offer.source_offset);
    find(field.destination, field.destination_bytes, field.destination_view != nullptr,
         offer.destination, offer.destination_offset);
    return offer;
}

/// Whether a field of a rank can be reached, whichever of its arrays are moved.
struct Shared {
    bool source = true;
    bool destination = true;
};
/// Of the field `index` of `fields` in each set of arrays.
[[nodiscard]] inline Shared shared_of(std::span<const FieldOffer> offers, std::size_t index,
                                      std::size_t fields) {
    Shared shared;
    for (; index < offers.size(); index += fields) {
        shared.source &= offers[index].source.is_shared();
        shared.destination &= offers[index].destination.is_shared();
    }
    return shared;
}

/// The offer of a peer when an exchange is bound.
struct PeerOffer {
    int rank = -1;
    /// This rank's place in the peer's list of peers: its slot in the peer's control block; and the
    /// other way round.
    std::size_t my_slot = 0;
    std::size_t slot = 0;
    std::size_t peers = 0;  ///< how many the peer has
    /// Whether the peer applies what arrives in the order of ranks.
    bool ordered = false;
    int node = -1;  ///< the lowest rank of its node
    /// Why memory cannot be shared with it; empty when it can.
    std::string reason_against_sharing;
    memory::BlockHandle control;           ///< of its control block, where memory is shared
    memory::Doorbell* doorbell = nullptr;  ///< the peer's, where memory is shared
    std::string no_doorbell;               ///< why this rank could not map it nevertheless
    const memory::WatchedProcess* process = nullptr;  ///< the peer's, with the doorbell
    /// Why the two may not copy from each other's private memory, where memory is shared; both
    /// find something or neither does.
    std::string reason_against_reading;
    std::vector<FieldOffer> fields;  ///< of each set of arrays, one set after the other
    /// The legs between the two ranks; nullptr where there is none.
    const route::Leg* send = nullptr;
    const route::Leg* receive = nullptr;
};

/// The sum of this number over all ranks is 0 when both ranks of every pair hold the same leg: then
/// each peer of a rank has that rank for a peer. If not, it is 0 once in 2^64 times.
[[nodiscard]] std::uint64_t imprint(const route::Route& route);

/// Collective. Where a peer's legs differ from those that this rank expects: a message naming both
/// ranks. Empty on ranks that have found nothing.
[[nodiscard]] std::string find_disagreement(const mpi::Communicator& comm,
                                            const route::Route& route);

/// Collective over the peers of a route, which agree on it. Exchanges offers with each of them:
/// fields, and whether arrivals are applied in order. Returns those of the peers, ascending by
/// rank; this rank itself is among them when it has a leg to itself.
[[nodiscard]] std::vector<PeerOffer> swap_offers(const mpi::Communicator& comm,
                                                 const memory::Node& node,
                                                 const route::Route& route,
                                                 const std::vector<FieldOffer>& own, bool ordered,
                                                 const ControlBlock& control);

/// The ranks that the route has legs to or from, this one included if so, ascending.
[[nodiscard]] std::vector<int> peers_of(const route::Route& route);

}  // namespace transrank::transport
