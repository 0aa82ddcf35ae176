// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/lists.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "transrank/discovery/messages.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/route/directory.hpp"
#include "transrank/route/leg_builder.hpp"

namespace transrank::discovery {
namespace {

using mpi::Message;
using route::Forward;
using route::Leg;
using route::ListRun;
using Indices = std::span<const std::int64_t>;

/// Runs of a list by the rank that looks after their part of the index space.
using RunsByPart = std::vector<std::pair<int, std::vector<route::ListRun>>>;

/// The lists of one rank.
struct Lists {
    RunsByPart sources;
    RunsByPart destinations;
    std::int64_t source_extent = 0;
    std::int64_t destination_extent = 0;
};

/// A run as it is written to the directory; the message says whose it is.
struct Entry {
    std::int64_t begin;
    std::int64_t length;
    std::int64_t position;
};

std::vector<Entry> entries_of(const std::vector<ListRun>& runs) {
    std::vector<Entry> entries;
    entries.reserve(runs.size());
    for (const auto& run : runs) {
        entries.push_back({.begin = run.begin, .length = run.length, .position = run.position});
    }
    return entries;
}

std::vector<Message> messages_to_directory(const Lists& lists) {
    std::map<int, std::pair<std::vector<Entry>, std::vector<Entry>>> by_part;
    for (const auto& [part, runs] : lists.sources) {
        by_part[part].first = entries_of(runs);
    }
    for (const auto& [part, runs] : lists.destinations) {
        by_part[part].second = entries_of(runs);
    }
    std::vector<Message> messages;
    for (const auto& [part, entries] : by_part) {
        Writer writer;
        writer.add_all(std::span(std::as_const(entries.first)));
        writer.add_all(std::span(std::as_const(entries.second)));
        messages.push_back(std::move(writer).to(part));
    }
    return messages;
}

void append_runs(int rank, const std::vector<Entry>& entries, std::vector<ListRun>& runs) {
    for (const auto& [begin, length, position] : entries) {
        runs.push_back({.rank = rank, .begin = begin, .length = length, .position = position});
    }
}

std::vector<Forward> match_own_part(const std::vector<Message>& messages) {
    std::vector<ListRun> sources;
    std::vector<ListRun> destinations;
    for (const auto& message : messages) {
        Reader reader(message);
        append_runs(message.peer, reader.take_all<Entry>(), sources);
        append_runs(message.peer, reader.take_all<Entry>(), destinations);
    }
    return route::match(std::move(sources), destinations);
}

/// What a part of the directory found out about a rank.
enum class Role : std::uint8_t { sender, receiver };

void add_finding(Writer& message, Role role, int peer, const Leg& leg) {
    message.add(role);
    message.add(static_cast<std::int64_t>(peer));
    add(message, leg.segments);
}

std::vector<Message> messages_to_ranks(const std::vector<Forward>& found) {
    std::map<int, Writer> by_rank;
    for (const auto& [origin, leg] : found) {
        add_finding(by_rank[origin], Role::sender, leg.peer, leg);
        add_finding(by_rank[leg.peer], Role::receiver, origin, leg);
    }
    std::vector<Message> messages;
    messages.reserve(by_rank.size());
    for (auto& [rank, writer] : by_rank) {
        messages.push_back(std::move(writer).to(rank));
    }
    return messages;
}

route::Route route_of(const mpi::Communicator& comm, const Lists& lists,
                      const std::vector<Message>& messages) {
    std::vector<Leg> sends;
    std::vector<Leg> receives;
    for (const auto& message : messages) {
        Reader reader(message);
        while (!reader.at_end()) {
            auto& legs = reader.take<Role>() == Role::sender ? sends : receives;
            const auto peer = static_cast<int>(reader.take<std::int64_t>());
            legs.push_back({.peer = peer, .segments = take_segments(reader)});
        }
    }
    return {comm.rank(),
            comm.size(),
            lists.source_extent,
            lists.destination_extent,
            route::merged_by_peer(std::move(sends)),
            route::merged_by_peer(std::move(receives))};
}

/// Collective. Every rank keeps the directory of a part of the indices: it receives the runs there
/// and sends each owner and each receiver the legs between them, so that no rank ever knows of more
/// than its share (distributed directory, as in YAXT and Zoltan).
route::Route match(const mpi::Communicator& comm, const Lists& lists) {
    const auto told = deliver(comm, messages_to_directory(lists), Subject::index_lists);
    const auto found = mpi::agreed(comm, [&] { return match_own_part(told); });
    const auto messages = deliver(comm, messages_to_ranks(found), Subject::legs_found);
    return mpi::agreed(comm, [&] { return route_of(comm, lists, messages); });
}

void check_indices(int rank, std::string_view side, Indices indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        layout::require(indices[i] >= 0 && indices[i] < std::numeric_limits<std::int64_t>::max(),
                        "entry ", layout::counted(i), " of the ", side, " list of rank ", rank,
                        " is index ", layout::counted(indices[i]), "; an index is at least ",
                        layout::first_index, " and at most 2^63 - ", 2 - layout::first_index);
    }
}

// One more than the highest index of any list.
std::int64_t common_extent(const mpi::Communicator& comm, Indices source, Indices destination) {
    std::int64_t own = 0;
    for (const auto list : {source, destination}) {
        for (const std::int64_t index : list) {
            own = std::max(own, index + 1);
        }
    }
    return mpi::reduced(comm, own, MPI_MAX);
}

}  // namespace

route::Route lists_to_lists(const mpi::Communicator& comm, Indices source, Indices destination) {
    const mpi::Call call(comm, "route.lists");
    mpi::agree(comm, [&] {
        check_indices(comm.rank(), "source", source);
        check_indices(comm.rank(), "destination", destination);
    });
    const auto extent = common_extent(comm, source, destination);
    const auto directory = layout::Distribution::even(extent, comm.size());
    Lists lists{.sources = {},
                .destinations = {},
                .source_extent = static_cast<std::int64_t>(source.size()),
                .destination_extent = static_cast<std::int64_t>(destination.size())};
    mpi::agree(comm, [&] {
        lists.sources = route::runs_by_directory(comm.rank(), source, directory);
        lists.destinations = route::runs_by_directory(comm.rank(), destination, directory);
    });
    return match(comm, lists);
}

}  // namespace transrank::discovery
