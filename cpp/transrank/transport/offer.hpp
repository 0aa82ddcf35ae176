// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/memory/shared_pool.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/control_block.hpp"
#include "transrank/transport/field_offer.hpp"

namespace transrank::transport {

/// What a peer says of itself when an exchange is bound.
struct PeerOffer {
    int rank = -1;
    /// This rank's place in the peer's list of peers: its slot in the peer's control block; and the
    /// other way round.
    std::size_t my_slot = 0;
    std::size_t slot = 0;
    std::size_t peers = 0;  ///< how many the peer has
    /// Whether the peer applies what arrives in the order of ranks.
    bool ordered = false;
    /// Why memory cannot be shared with it; empty when it can.
    std::string shared_obstacle;
    memory::BlockHandle control;           ///< of its control block, where memory is shared
    memory::Doorbell* doorbell = nullptr;  ///< the peer's, where memory is shared
    std::vector<FieldOffer> fields;
    /// The legs between the two ranks; nullptr where there is none.
    const route::Leg* send = nullptr;
    const route::Leg* receive = nullptr;
};

/// Collective. Tells each peer about this rank's fields and legs, and whether it applies arrivals
/// in order; returns what they told, ascending by rank. This rank itself is among them when it has
/// a leg to itself. What a peer told otherwise than this rank expects (other legs, other fields) is
/// put into `disagreement`, naming both ranks; the offers are then of no use.
[[nodiscard]] std::vector<PeerOffer> swap_offers(const mpi::Communicator& comm,
                                                 const memory::Node& node,
                                                 const route::Route& route,
                                                 const std::vector<FieldOffer>& own, bool ordered,
                                                 const ControlBlock& control,
                                                 std::string& disagreement);

/// The ranks that the route has legs to or from, this one included if so, ascending.
[[nodiscard]] std::vector<int> peers_of(const route::Route& route);

}  // namespace transrank::transport
