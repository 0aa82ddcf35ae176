// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/directory.hpp"

#include "transrank/layout/require.hpp"
#include "transrank/route/ghost.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {
namespace {

/// The list as legs to the directory: sources are positions within a part of the directory.
std::vector<ListRun> runs_of(int rank, const Leg& leg, const layout::IndexRange& range) {
    std::vector<ListRun> runs;
    for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
        runs.push_back({.rank = rank,
                        .begin = range.begin + source,
                        .length = length,
                        .position = destination});
    });
    return runs;
}

}  // namespace

std::vector<std::pair<int, std::vector<ListRun>>> runs_by_directory(
    int rank, std::span<const std::int64_t> indices, const layout::Distribution& directory) {
    layout::require(directory.is_contiguous(),
                    "a directory needs a Distribution whose parts are one range each; this one is "
                    "block-cyclic");
    std::vector<std::pair<int, std::vector<ListRun>>> made;
    for (const auto& leg : requests_by_owner(rank, directory, indices)) {
        made.emplace_back(leg.peer, runs_of(rank, leg, directory.range(leg.peer)));
    }
    return made;
}

std::vector<Forward> match(std::vector<ListRun> sources, std::span<const ListRun> destinations) {
    if (const auto clash = sort_deliveries(sources)) {
        layout::refuse("index ", layout::counted(clash->number), " is in the source lists of rank ",
                       clash->one, " and of rank ", clash->other, "; an index has one owner");
    }
    std::vector<Transfer> transfers;
    for (const auto& wanted : destinations) {
        const auto missing = append_transfers(sources, wanted, transfers);
        layout::require(!missing, "index ", layout::counted(missing.value_or(0)), ", which rank ",
                        wanted.rank, " wants, is in no source list");
    }
    return join(std::move(transfers));
}

}  // namespace transrank::route
