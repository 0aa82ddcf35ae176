// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/messages.hpp"
#include "transrank/discovery/owners.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/ghost.hpp"

namespace transrank::discovery {
namespace {

using layout::Distribution;
using layout::require;
using route::Leg;

void check_place(int rank, std::size_t ghosts, const GhostPlace& place) {
    const auto count = static_cast<std::int64_t>(ghosts);
    require(place.begin >= 0 && place.begin <= place.extent && count <= place.extent - place.begin,
            "rank ", rank, " wants ", count, " ghosts from row ", layout::counted(place.begin),
            " on of an array of ", place.extent, " rows; they do not fit");
}

/// The requests with messages to all owners but this rank.
GhostRequests with_messages(int rank, std::vector<Leg> requests) {
    GhostRequests made{.legs = std::move(requests), .messages = {}};
    for (const auto& leg : made.legs) {
        if (leg.peer != rank) {
            Writer writer;
            add(writer, leg.segments);
            made.messages.push_back(std::move(writer).to(leg.peer));
        }
    }
    return made;
}

layout::Stretch stretch_of(std::int64_t index, std::span<const OwnerRange> owners) {
    const auto after = std::ranges::upper_bound(owners, index, {}, &OwnerRange::begin);
    require(after != owners.begin() && index < (after - 1)->end, "index ", layout::counted(index),
            " has no owner among those looked up");
    const auto& [owner, begin, end] = *(after - 1);
    return {.part = static_cast<int>(owner), .range = {.begin = begin, .end = end}};
}

route::Route exchange_requests(const mpi::Communicator& comm, std::int64_t owned,
                               GhostRequests requests, const GhostPlace& place) {
    const auto messages = deliver(comm, std::move(requests.messages), Subject::ghosts_wanted);
    return mpi::agreed(comm, [&] {
        return read_ghost_requests(comm.rank(), comm.size(), owned, place, std::move(requests.legs),
                                   messages);
    });
}

}  // namespace

GhostRequests write_ghost_requests(int rank, const Distribution& owners,
                                   std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    check_place(rank, ghosts.size(), place);
    return with_messages(rank, route::requests_by_owner(rank, owners, ghosts, place.begin));
}

GhostRequests write_ghost_requests(int rank, std::span<const OwnerRange> owners,
                                   std::int64_t extent, std::span<const std::int64_t> ghosts,
                                   const GhostPlace& place) {
    check_place(rank, ghosts.size(), place);
    return with_messages(rank,
                         route::requests_by(rank, extent, ghosts, place.begin,
                                            [&](auto index) { return stretch_of(index, owners); }));
}

route::Route read_ghost_requests(int rank, int ranks, std::int64_t owned, const GhostPlace& place,
                                 std::vector<Leg> requests,
                                 std::span<const mpi::Message> messages) {
    auto granted = take_legs(messages);
    if (const Leg* to_itself = route::find_leg(requests, rank)) {
        granted.push_back(*to_itself);
    }
    return {rank, ranks, owned, place.extent, std::move(granted), std::move(requests)};
}

route::Route ghost_pull(const mpi::Communicator& comm, const Distribution& owners,
                        std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    const mpi::Call call(comm, "route.ghost_pull");
    auto requests = agreed_for(comm, owners, [&] {
        check_parts(owners, comm);
        return write_ghost_requests(comm.rank(), owners, ghosts, place);
    });
    return exchange_requests(comm, owners.owned(comm.rank()), std::move(requests), place);
}

route::Route ghost_pull(const mpi::Communicator& comm, const Numbering& rows,
                        std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    const mpi::Call call(comm, "route.ghost_pull");
    const int rank = comm.rank();
    GhostRequests requests;
    const auto write_if_known = [&] {
        rows.check_made_for(comm);
        if (rows.owners()) {
            requests = write_ghost_requests(rank, *rows.owners(), ghosts, place);
            return true;
        }
        check_place(rank, ghosts.size(), place);
        for (std::size_t i = 0; i < ghosts.size(); ++i) {
            route::check_ghost(rank, i, ghosts[i], rows.extent());
        }
        return false;
    };
    if (!agreed_for(comm, rows, write_if_known)) {
        const auto owners = look_up_owners(comm, rows.owned(), rows.extent(), ghosts);
        mpi::agree(comm, [&] {
            requests = write_ghost_requests(rank, owners, rows.extent(), ghosts, place);
        });
    }
    return exchange_requests(comm, rows.owned().length(), std::move(requests), place);
}

}  // namespace transrank::discovery
