// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/consistency.hpp"

#include <cstddef>
#include <sstream>
#include <string>

#include "transrank/layout/require.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::route {
namespace {

using layout::require;

std::string describe(const std::optional<LegDigest>& leg) {
    if (!leg) {
        return "no leg";
    }
    std::ostringstream text;
    text << leg->units << " units in " << leg->segments << " segments (checksum " << std::hex
         << leg->checksum << ")";
    return text.str();
}

}  // namespace

std::optional<LegDigest> digest(const Leg* leg) {
    return leg == nullptr ? std::nullopt : std::optional(digest(*leg));
}

LegDigest digest(const Leg& leg) {
    return {.units = leg.units(),
            .segments = static_cast<std::int64_t>(leg.segments.size()),
            .checksum = checksum(leg)};
}

void check_same(int sender, int receiver, const std::optional<LegDigest>& sent,
                const std::optional<LegDigest>& received) {
    if (!sent || sent != received) {
        layout::refuse("the leg from rank ", sender, " to rank ", receiver, " differs: rank ",
                       sender, " sends ", describe(sent), ", rank ", receiver, " receives ",
                       describe(received), "; build both sides from the same layouts");
    }
}

void check_consistent(std::span<const Route> routes) {
    for (std::size_t i = 0; i < routes.size(); ++i) {
        const Route& route = routes[i];
        const int rank = static_cast<int>(i);
        require(route.rank() == rank, "route ", i, " belongs to rank ", route.rank());
        require(static_cast<std::size_t>(route.ranks()) == routes.size(), "the route of rank ",
                rank, " is for ", route.ranks(), " ranks, but there are ", routes.size());
    }
    for (const Route& route : routes) {
        for (const Leg& leg : route.sends()) {
            const auto& receives = routes[static_cast<std::size_t>(leg.peer)].receives();
            check_same(route.rank(), leg.peer, digest(leg),
                       digest(find_leg(receives, route.rank())));
        }
        for (const Leg& leg : route.receives()) {
            const auto& sends = routes[static_cast<std::size_t>(leg.peer)].sends();
            check_same(leg.peer, route.rank(), digest(find_leg(sends, route.rank())), digest(leg));
        }
    }
}

void check_delivered_once(const Route& route) {
    auto delivered = deliveries(route.receives());
    if (const auto clash = sort_deliveries(delivered)) {
        layout::refuse("unit ", layout::counted(clash->number), " of rank ", route.rank(),
                       " is delivered by rank ", clash->one, " and by rank ", clash->other,
                       "; each unit may come from one place");
    }
}

void check_all_delivered_once(const Route& route, std::int64_t units) {
    check_delivered_once(route);
    std::int64_t delivered = 0;
    for (const auto& leg : route.receives()) {
        delivered += leg.units();
    }
    require(delivered == units, "of the ", units, " units of rank ", route.rank(), ", ", delivered,
            " are delivered; each must be in one source list");
}

}  // namespace transrank::route
