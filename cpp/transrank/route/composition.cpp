// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/composition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "transrank/layout/require.hpp"
#include "transrank/route/compression.hpp"
#include "transrank/route/runs.hpp"

namespace transrank::route {
namespace {

using layout::require;

/// Units of the array in between, and where they come from.
struct Delivery {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    std::int64_t source = 0;
    int origin = 0;
};

/// One run of a composed leg.
struct Passage {
    int origin = 0;
    int target = 0;
    std::int64_t destination = 0;
    std::int64_t source = 0;
    std::int64_t length = 0;

    [[nodiscard]] auto order() const { return std::tuple(origin, target, destination); }
};

std::vector<Delivery> deliveries(const Route& route) {
    std::vector<Delivery> made;
    for (const auto& leg : route.receives()) {
        for_each_run(leg, [&](std::int64_t source, std::int64_t begin, std::int64_t length) {
            made.push_back(
                {.begin = begin, .length = length, .source = source, .origin = leg.peer});
        });
    }
    std::ranges::sort(made, {}, &Delivery::begin);
    for (std::size_t i = 1; i < made.size(); ++i) {
        require(made[i - 1].begin + made[i - 1].length <= made[i].begin, "rank ", route.rank(),
                " receives unit ", made[i].begin, " from rank ", made[i - 1].origin,
                " and from rank ", made[i].origin,
                "; a route that delivers a unit twice cannot be composed");
    }
    return made;
}

/// Cuts one run that the second route sends where its units come from different places.
void pass_on(int rank, const std::vector<Delivery>& delivered, int target, const Segment& run,
             std::vector<Passage>& passages) {
    auto from = std::ranges::upper_bound(delivered, run.source, {}, &Delivery::begin);
    from -= from == delivered.begin() ? 0 : 1;
    for (std::int64_t done = 0; done < run.length; ++from) {
        const std::int64_t unit = run.source + done;
        const bool found =
            from != delivered.end() && from->begin <= unit && unit < from->begin + from->length;
        require(found, "the second route sends unit ", unit, " of rank ", rank, " to rank ", target,
                ", but the first route never delivers it");
        const std::int64_t skipped = unit - from->begin;
        const std::int64_t length = std::min(from->length - skipped, run.length - done);
        passages.push_back({.origin = from->origin,
                            .target = target,
                            .destination = run.destination + done,
                            .source = from->source + skipped,
                            .length = length});
        done += length;
    }
}

std::vector<Passage> passages(const Route& first, const Route& second) {
    require(first.rank() == second.rank() && first.ranks() == second.ranks(), "the route of rank ",
            first.rank(), " of ", first.ranks(), " cannot be followed by that of rank ",
            second.rank(), " of ", second.ranks());
    require(second.source_extent() <= first.destination_extent(), "the first route ends in ",
            first.destination_extent(), " units on rank ", first.rank(),
            ", but the second starts from ", second.source_extent());
    const auto delivered = deliveries(first);
    std::vector<Passage> made;
    for (const auto& leg : second.sends()) {
        for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
            pass_on(first.rank(), delivered, leg.peer,
                    {.source = source, .destination = destination, .length = length}, made);
        });
    }
    return made;
}

std::vector<Forward> join(std::vector<Passage> passages) {
    std::ranges::sort(passages, {}, &Passage::order);
    std::vector<Forward> made;
    for (const auto& passage : passages) {
        if (made.empty() || made.back().origin != passage.origin ||
            made.back().leg.peer != passage.target) {
            made.push_back(
                {.origin = passage.origin, .leg = {.peer = passage.target, .segments = {}}});
        }
        append_run(made.back().leg.segments, passage.source, passage.destination, passage.length);
    }
    for (auto& forward : made) {
        compress(forward.leg.segments);
    }
    return made;
}

}  // namespace

std::vector<Forward> forwards(const Route& first, const Route& second) {
    return join(passages(first, second));
}

std::vector<Route> compose(std::span<const Route> first, std::span<const Route> second) {
    require(first.size() == second.size(), "the routes of ", first.size(),
            " ranks cannot be followed by those of ", second.size());
    std::vector<Passage> all;
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
        const auto passed = passages(first[rank], second[rank]);
        all.insert(all.end(), passed.begin(), passed.end());
    }
    std::vector<std::vector<Leg>> sends(first.size());
    std::vector<std::vector<Leg>> receives(first.size());
    for (auto& [origin, leg] : join(std::move(all))) {
        receives[static_cast<std::size_t>(leg.peer)].push_back(
            {.peer = origin, .segments = leg.segments});
        sends[static_cast<std::size_t>(origin)].push_back(std::move(leg));
    }
    std::vector<Route> composed;
    composed.reserve(first.size());
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
        composed.emplace_back(static_cast<int>(rank), first[rank].ranks(),
                              first[rank].source_extent(), second[rank].destination_extent(),
                              std::move(sends[rank]), std::move(receives[rank]));
    }
    return composed;
}

}  // namespace transrank::route
