// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/route_check.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "transrank/discovery/messages.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/consistency.hpp"

namespace transrank::discovery {
namespace {

void compare(const route::Route& route, const std::vector<mpi::Message>& messages) {
    for (const auto& message : messages) {
        route::check_same(message.peer, route.rank(), Reader(message).take<route::LegDigest>(),
                          route::digest(route::find_leg(route.receives(), message.peer)));
    }
    for (const auto& leg : route.receives()) {
        if (!std::ranges::binary_search(messages, leg.peer, {}, &mpi::Message::peer)) {
            route::check_same(leg.peer, route.rank(), std::nullopt, route::digest(leg));
        }
    }
}

}  // namespace

void check_belongs(const route::Route& route, const mpi::Communicator& comm) {
    layout::require(route.rank() == comm.rank() && route.ranks() == comm.size(),
                    "a route made for rank ", route.rank(), " of ", route.ranks(),
                    " is used on rank ", comm.rank(), " of ", comm.size(),
                    "; make it for this communicator");
}

void check_consistent(const mpi::Communicator& comm, const route::Route& route) {
    const mpi::Call call(comm, "check_consistent");
    mpi::agree(comm, [&] { check_belongs(route, comm); });
    auto digests = message_per_leg(route.sends(), [](Writer& writer, const route::Leg& leg) {
        writer.add(route::digest(leg));
    });
    const auto messages = deliver(comm, std::move(digests), Subject::leg_digests);
    mpi::agree(comm, [&] { compare(route, messages); });
}

}  // namespace transrank::discovery
