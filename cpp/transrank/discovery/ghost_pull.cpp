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
    if (place.rows) {
        require(place.rows->size() == ghosts, "rank ", rank, " wants ", ghosts, " ghosts at ",
                place.rows->size(), " rows; each needs one");
        for (std::size_t i = 0; i < ghosts; ++i) {
            const auto row = (*place.rows)[i];
            require(row >= 0 && row < place.extent, "ghost ", layout::counted(i), " on rank ", rank,
                    " is to lie at row ", layout::counted(row), ", out of range ",
                    layout::indices(0, place.extent), " of its array");
        }
        return;
    }
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

}  // namespace

GhostRequests write_ghost_requests(int rank, const Distribution& owners,
                                   std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    check_place(rank, ghosts.size(), place);
    return with_messages(rank,
                         route::requests_by_owner(rank, owners, ghosts, place.begin, place.rows));
}

GhostRequests write_ghost_requests(int rank, std::span<const OwnerRange> owners,
                                   std::int64_t extent, std::span<const std::int64_t> ghosts,
                                   const GhostPlace& place) {
    check_place(rank, ghosts.size(), place);
    return with_messages(rank,
                         route::requests_by(rank, extent, ghosts, place.begin, place.rows,
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

route::Route ghost_pull(const mpi::Communicator& comm, const std::function<GhostPull()>& make) {
    const mpi::Call call(comm, "route.ghost_pull");
    const int rank = comm.rank();
    GhostPull pull;
    const Distribution* owners = nullptr;  // where they need not be looked up
    mpi::Words words;
    GhostRequests requests;
    Announcement announced;
    const auto write = [&] {
        pull = make();
        const auto* rows = pull.rows;
        owners = rows == nullptr ? pull.owners : rows->owners() ? &*rows->owners() : nullptr;
        words = {rows == nullptr ? owners->words() : rows->words()};
        if (rows == nullptr) {
            check_parts(*owners, comm);
        } else {
            rows->check_made_for(comm);
        }
        if (owners != nullptr) {
            requests = write_ghost_requests(rank, *owners, pull.ghosts, pull.place);
            announced.add(comm, requests.messages);
            return;
        }
        check_place(rank, pull.ghosts.size(), pull.place);
        for (std::size_t i = 0; i < pull.ghosts.size(); ++i) {
            route::check_ghost(rank, i, pull.ghosts[i], rows->extent());
        }
    };
    mpi::agree(comm, write, owners_differ, words, announced.sums());
    if (owners == nullptr) {
        const auto found =
            look_up_owners(comm, pull.rows->owned(), pull.rows->extent(), pull.ghosts);
        const auto write_to_found = [&] {
            requests =
                write_ghost_requests(rank, found, pull.rows->extent(), pull.ghosts, pull.place);
            announced.add(comm, requests.messages);
        };
        mpi::agree(comm, write_to_found, {}, {}, announced.sums());
    }
    const auto messages =
        deliver(comm, std::move(requests.messages), Subject::ghosts_wanted, announced);
    return mpi::agreed(comm, [&] {
        const auto owned = owners != nullptr ? owners->owned(rank) : pull.rows->owned().length();
        return read_ghost_requests(rank, comm.size(), owned, pull.place, std::move(requests.legs),
                                   messages);
    });
}

}  // namespace transrank::discovery
