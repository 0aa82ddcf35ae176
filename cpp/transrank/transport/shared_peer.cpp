// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/shared_peer.hpp"

namespace transrank::transport {

SharedPeer::SharedPeer(const Binding& binding, const PeerOffer& offer)
    : rank_(offer.rank),
      theirs_(offer.control, offer.peers),
      my_slot_there_(offer.my_slot),
      my_done_(&binding.control.done(offer.slot)),
      my_packed_(&binding.control.packed(offer.slot)),
      doorbell_(offer.doorbell) {}

std::string obstacle_to_sharing(const Binding& binding, const PeerOffer& peer) {
    return peer.rank == binding.route.rank() ? "the rank itself" : peer.shared_obstacle;
}

}  // namespace transrank::transport
