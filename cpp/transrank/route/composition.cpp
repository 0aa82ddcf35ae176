// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/composition.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "transrank/layout/require.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {
namespace {

using layout::require;

std::vector<Delivery> sorted_deliveries(const Route& route) {
    auto made = deliveries(route.receives());
    if (const auto clash = sort_deliveries(made)) {
        layout::refuse("rank ", route.rank(), " receives unit ", clash->number, " from rank ",
                       clash->one, " and from rank ", clash->other,
                       "; a route that delivers a unit twice cannot be composed");
    }
    return made;
}

std::vector<Transfer> transfers(const Route& first, const Route& second) {
    require(first.rank() == second.rank() && first.ranks() == second.ranks(), "the route of rank ",
            first.rank(), " of ", first.ranks(), " cannot be followed by that of rank ",
            second.rank(), " of ", second.ranks());
    require(second.source_extent() <= first.destination_extent(), "the first route ends in ",
            first.destination_extent(), " units on rank ", first.rank(),
            ", but the second starts from ", second.source_extent());
    const auto delivered = sorted_deliveries(first);
    std::vector<Transfer> made;
    for (const auto& leg : second.sends()) {
        for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
            const auto missing = append_transfers(
                delivered, leg.peer,
                {.source = source, .destination = destination, .length = length}, made);
            require(!missing, "the second route sends unit ", missing.value_or(0), " of rank ",
                    first.rank(), " to rank ", leg.peer, ", but the first route never delivers it");
        });
    }
    return made;
}

}  // namespace

std::vector<Forward> forwards(const Route& first, const Route& second) {
    return join(transfers(first, second));
}

std::vector<Route> compose(std::span<const Route> first, std::span<const Route> second) {
    require(first.size() == second.size(), "the routes of ", first.size(),
            " ranks cannot be followed by those of ", second.size());
    std::vector<Transfer> all;
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
        const auto passed = transfers(first[rank], second[rank]);
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
                              std::move(sends[rank]), std::move(receives[rank]),
                              Shapes{.source = first[rank].shapes().source,
                                     .destination = second[rank].shapes().destination});
    }
    return composed;
}

}  // namespace transrank::route
