// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/directory.hpp"

#include <map>

#include "transrank/discovery/letters.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/merging.hpp"

namespace transrank::discovery {
namespace {

using mpi::Letter;
using route::Forward;
using route::Leg;
using route::ListRun;

/// A run as it is written to the directory; the letter says whose it is.
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

std::vector<Letter> letters_to_directory(const Lists& lists) {
    std::map<int, std::pair<std::vector<Entry>, std::vector<Entry>>> by_part;
    for (const auto& [part, runs] : lists.sources) {
        by_part[part].first = entries_of(runs);
    }
    for (const auto& [part, runs] : lists.destinations) {
        by_part[part].second = entries_of(runs);
    }
    std::vector<Letter> letters;
    for (const auto& [part, entries] : by_part) {
        Writer writer;
        writer.add_all(std::span(std::as_const(entries.first)));
        writer.add_all(std::span(std::as_const(entries.second)));
        letters.push_back(std::move(writer).to(part));
    }
    return letters;
}

void append_runs(int rank, const std::vector<Entry>& entries, std::vector<ListRun>& runs) {
    for (const auto& [begin, length, position] : entries) {
        runs.push_back({.rank = rank, .begin = begin, .length = length, .position = position});
    }
}

std::vector<Forward> match_own_part(const std::vector<Letter>& letters) {
    std::vector<ListRun> sources;
    std::vector<ListRun> destinations;
    for (const auto& letter : letters) {
        Reader reader(letter);
        append_runs(letter.peer, reader.take_all<Entry>(), sources);
        append_runs(letter.peer, reader.take_all<Entry>(), destinations);
    }
    return route::match(sources, destinations);
}

/// What a part of the directory found out about a rank.
enum class Role : std::uint8_t { sender, receiver };

void add_finding(Writer& letter, Role role, int peer, const Leg& leg) {
    letter.add(role);
    letter.add(static_cast<std::int64_t>(peer));
    letter.add_all(std::span(std::as_const(leg.segments)));
}

std::vector<Letter> letters_to_ranks(const std::vector<Forward>& found) {
    std::map<int, Writer> by_rank;
    for (const auto& [origin, leg] : found) {
        add_finding(by_rank[origin], Role::sender, leg.peer, leg);
        add_finding(by_rank[leg.peer], Role::receiver, origin, leg);
    }
    std::vector<Letter> letters;
    letters.reserve(by_rank.size());
    for (auto& [rank, writer] : by_rank) {
        letters.push_back(std::move(writer).to(rank));
    }
    return letters;
}

route::Route route_of(const mpi::Communicator& comm, const Lists& lists,
                      const std::vector<Letter>& letters) {
    std::vector<Leg> sends;
    std::vector<Leg> receives;
    for (const auto& letter : letters) {
        Reader reader(letter);
        while (!reader.at_end()) {
            auto& legs = reader.take<Role>() == Role::sender ? sends : receives;
            const auto peer = static_cast<int>(reader.take<std::int64_t>());
            legs.push_back({.peer = peer, .segments = reader.take_all<route::Segment>()});
        }
    }
    return {comm.rank(),
            comm.size(),
            lists.source_extent,
            lists.destination_extent,
            route::merged_by_peer(std::move(sends)),
            route::merged_by_peer(std::move(receives))};
}

}  // namespace

route::Route match(const mpi::Communicator& comm, const Lists& lists) {
    const auto told = deliver(comm, letters_to_directory(lists), Subject::index_lists);
    const auto found = mpi::agreed(comm, [&] { return match_own_part(told); });
    const auto letters = deliver(comm, letters_to_ranks(found), Subject::legs_found);
    return mpi::agreed(comm, [&] { return route_of(comm, lists, letters); });
}

}  // namespace transrank::discovery
