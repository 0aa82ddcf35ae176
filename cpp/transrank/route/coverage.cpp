// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/coverage.hpp"

#include "transrank/layout/require.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::route {

void check_delivered_once(const Route& route) {
    auto delivered = deliveries(route.receives());
    if (const auto clash = sort_deliveries(delivered)) {
        layout::refuse("unit ", clash->number, " of rank ", route.rank(), " is delivered by rank ",
                       clash->one, " and by rank ", clash->other,
                       "; each unit may come from one place");
    }
}

void check_all_delivered_once(const Route& route, std::int64_t units) {
    check_delivered_once(route);
    std::int64_t delivered = 0;
    for (const auto& leg : route.receives()) {
        delivered += leg.units();
    }
    layout::require(delivered == units, "of the ", units, " units of rank ", route.rank(), ", ",
                    delivered, " are delivered; each must be in one source list");
}

}  // namespace transrank::route
