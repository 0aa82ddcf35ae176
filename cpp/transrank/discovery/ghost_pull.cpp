// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "transrank/discovery/directory.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/letters.hpp"
#include "transrank/discovery/view.hpp"
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
            "rank ", rank, " wants ", count, " ghosts from row ", place.begin,
            " on of an array of ", place.extent, " rows; they do not fit");
}

std::vector<mpi::Letter> letters_to_owners(int rank, const Distribution& owners,
                                           const std::vector<Leg>& requests) {
    std::vector<mpi::Letter> letters;
    for (const auto& leg : requests) {
        if (leg.peer != rank) {
            Writer writer;
            writer.add(view_of(owners, leg.peer));
            writer.add_all(std::span(leg.segments));
            letters.push_back(std::move(writer).to(leg.peer));
        }
    }
    return letters;
}

/// The wanted indices as runs in the directory, where they will arrive at.
RunsByPart wanted_runs(int rank, std::span<const std::int64_t> ghosts,
                       const Distribution& directory, std::int64_t begin) {
    auto wanted = route::runs_by_directory(rank, ghosts, directory);
    for (auto& [part, runs] : wanted) {
        for (auto& run : runs) {
            run.position += begin;
        }
    }
    return wanted;
}

route::Route pull_by_directory(const mpi::Communicator& comm, const Numbering& rows,
                               std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    const auto directory = Distribution::even(rows.extent(), comm.size());
    Lists lists{.sources = {},
                .destinations = {},
                .source_extent = rows.owned().length(),
                .destination_extent = place.extent};
    mpi::agree(comm, [&] {
        check_place(comm.rank(), ghosts.size(), place);
        lists.sources = route::range_by_directory(comm.rank(), rows.owned(), directory);
        lists.destinations = wanted_runs(comm.rank(), ghosts, directory, place.begin);
    });
    return match(comm, lists);
}

}  // namespace

GhostRequests write_ghost_requests(int rank, const Distribution& owners,
                                   std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    check_place(rank, ghosts.size(), place);
    GhostRequests made{.legs = route::requests_by_owner(rank, owners, ghosts, place.begin),
                       .letters = {}};
    made.letters = letters_to_owners(rank, owners, made.legs);
    return made;
}

route::Route read_ghost_requests(int rank, const Distribution& owners, const GhostPlace& place,
                                 std::vector<Leg> own, std::span<const mpi::Letter> letters) {
    std::vector<Leg> granted;
    granted.reserve(letters.size() + 1);
    for (const auto& letter : letters) {
        Reader reader(letter);
        check_view(owners, rank, letter.peer, reader.take<View>());
        granted.push_back({.peer = letter.peer, .segments = reader.take_all<route::Segment>()});
    }
    if (const Leg* to_itself = route::find_leg(own, rank)) {
        granted.push_back(*to_itself);
    }
    return route::ghost(rank, owners, place.extent, std::move(own), std::move(granted));
}

route::Route ghost_pull(const mpi::Communicator& comm, const Distribution& owners,
                        std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    auto requests = mpi::agreed(comm, [&] {
        check_parts(owners, comm.rank(), comm.size());
        return write_ghost_requests(comm.rank(), owners, ghosts, place);
    });
    const auto letters = deliver(comm, std::move(requests.letters), Subject::ghosts_wanted);
    return mpi::agreed(comm, [&] {
        return read_ghost_requests(comm.rank(), owners, place, std::move(requests.legs), letters);
    });
}

route::Route ghost_pull(const mpi::Communicator& comm, const Numbering& rows,
                        std::span<const std::int64_t> ghosts, const GhostPlace& place) {
    return rows.formula() ? ghost_pull(comm, *rows.formula(), ghosts, place)
                          : pull_by_directory(comm, rows, ghosts, place);
}

}  // namespace transrank::discovery
