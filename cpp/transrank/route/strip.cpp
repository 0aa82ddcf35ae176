// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/strip.hpp"

namespace transrank::route {
namespace {

using layout::Distribution;
using layout::Halo;

/// The part that owns the cell next to the low or high end of a part's range.
int owner_beyond(const Distribution& distribution, const Halo& halo, std::int64_t cell) {
    const std::int64_t extent = distribution.extent();
    if (cell >= 0 && cell < extent) {
        return distribution.stretch(cell).part;
    }
    if (!halo.periodic) {
        return Strip::nobody;
    }
    return distribution.stretch(cell < 0 ? extent - 1 : 0).part;
}

/// The last owned cells of `source`, as many as the halo is wide.
Strip into_low(const Distribution& distribution, const Halo& halo, int peer, int source) {
    return {.peer = peer,
            .source = distribution.owned(source),  // halo.low + owned - halo.low
            .destination = 0,
            .length = halo.low};
}

/// The first owned cells of a part.
Strip into_high(const Distribution& distribution, const Halo& halo, int peer, int destination) {
    return {.peer = peer,
            .source = halo.low,
            .destination = halo.low + distribution.owned(destination),
            .length = halo.high};
}

}  // namespace

Strips halo_strips(const Distribution& distribution, const Halo& halo, int part,
                   Direction direction) {
    Strips strips;
    strips[static_cast<std::size_t>(Zone::inside)] = {.peer = part,
                                                      .source = halo.low,
                                                      .destination = halo.low,
                                                      .length = distribution.owned(part)};
    if (halo.low == 0 && halo.high == 0) {
        return strips;
    }
    const auto range = distribution.range(part);
    const int below = owner_beyond(distribution, halo, range.begin - 1);
    const int above = owner_beyond(distribution, halo, range.end);
    const bool sending = direction == Direction::sending;
    // My last cells lie in the low halo of the part above me, its first cells in my high one.
    const int low_peer = sending ? above : below;
    const int high_peer = sending ? below : above;
    if (halo.low > 0 && low_peer != Strip::nobody) {
        strips[static_cast<std::size_t>(Zone::low)] =
            into_low(distribution, halo, low_peer, sending ? part : low_peer);
    }
    if (halo.high > 0 && high_peer != Strip::nobody) {
        strips[static_cast<std::size_t>(Zone::high)] =
            into_high(distribution, halo, high_peer, sending ? high_peer : part);
    }
    return strips;
}

}  // namespace transrank::route
