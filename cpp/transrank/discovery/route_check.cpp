// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/route_check.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "transrank/discovery/letters.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/consistency.hpp"

namespace transrank::discovery {
namespace {

std::vector<mpi::Letter> digests_of_sends(const route::Route& route) {
    std::vector<mpi::Letter> letters;
    for (const auto& leg : route.sends()) {
        Writer writer;
        writer.add(route::digest(leg));
        letters.push_back(std::move(writer).to(leg.peer));
    }
    return letters;
}

void compare(const route::Route& route, const std::vector<mpi::Letter>& letters) {
    for (const auto& letter : letters) {
        const auto* leg = route::find_leg(route.receives(), letter.peer);
        route::check_same(letter.peer, route.rank(), Reader(letter).take<route::LegDigest>(),
                          leg == nullptr ? std::nullopt : std::optional(route::digest(*leg)));
    }
    for (const auto& leg : route.receives()) {
        if (!std::ranges::binary_search(letters, leg.peer, {}, &mpi::Letter::peer)) {
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
    mpi::agree(comm, [&] { check_belongs(route, comm); });
    const auto letters = deliver(comm, digests_of_sends(route), Subject::leg_digests);
    mpi::agree(comm, [&] { compare(route, letters); });
}

}  // namespace transrank::discovery
