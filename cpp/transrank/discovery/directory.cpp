// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/directory.hpp"

#include <map>

#include "transrank/discovery/messages.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/leg_builder.hpp"

namespace transrank::discovery {
namespace {

using mpi::Message;
using route::Forward;
using route::Leg;
using route::ListRun;

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
    return route::match(sources, destinations);
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

}  // namespace

route::Route match(const mpi::Communicator& comm, const Lists& lists) {
    const auto told = deliver(comm, messages_to_directory(lists), Subject::index_lists);
    const auto found = mpi::agreed(comm, [&] { return match_own_part(told); });
    const auto messages = deliver(comm, messages_to_ranks(found), Subject::legs_found);
    return mpi::agreed(comm, [&] { return route_of(comm, lists, messages); });
}

}  // namespace transrank::discovery
