// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../exchange/pattern.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/route.hpp"
#include "world.hpp"

namespace testing {

using transrank::layout::Distribution;
using transrank::route::Route;
using Indices = std::vector<std::int64_t>;

/// One unit that arrives: where, from whom, and where it was.
using Arrival = std::tuple<std::int64_t, int, std::int64_t>;

/// What a route delivers to its rank, unit by unit, in the order of the destination.
inline std::vector<Arrival> arrivals(const Route& route) {
    std::vector<Arrival> made;
    for (const auto& leg : route.receives()) {
        transrank::route::for_each_run(
            leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                for (std::int64_t i = 0; i < length; ++i) {
                    made.emplace_back(destination + i, leg.peer, source + i);
                }
            });
    }
    std::ranges::sort(made);
    return made;
}

/// Who owns an index and at which place, by looking at every range of every part.
inline std::pair<int, std::int64_t> owner_of(const Distribution& owners, std::int64_t index) {
    for (int part = 0; part < owners.parts(); ++part) {
        std::int64_t position = 0;
        for (std::int64_t number = 0; number < owners.ranges(part); ++number) {
            const auto range = owners.range(part, number);
            if (range.contains(index)) {
                return {part, position + index - range.begin};
            }
            position += range.length();
        }
    }
    return {-1, -1};
}

/// The same on every rank when the random numbers are.
inline Distribution random_owners(Random& random, int ranks) {
    const auto extent = between(random, 0, 40);
    switch (between(random, 0, 2)) {
        case 0:
            return Distribution::even(extent, ranks);
        case 1:
            return Distribution::block_cyclic(extent, ranks, between(random, 1, 5),
                                              static_cast<int>(between(random, 0, ranks - 1)));
        default:
            break;
    }
    Indices boundaries(static_cast<std::size_t>(ranks) + 1);
    for (auto& boundary : boundaries) {
        boundary = between(random, 0, extent);
    }
    boundaries.front() = 0;
    boundaries.back() = extent;
    std::ranges::sort(boundaries);
    return Distribution::irregular(boundaries);
}

/// Some of the indices [0, extent), also repeated, also in runs, or none.
inline Indices random_indices(Random& random, std::int64_t extent) {
    Indices indices;
    if (extent == 0 || chance(random, 0.2)) {
        return indices;
    }
    std::int64_t index = 0;
    for (auto left = between(random, 1, 40); left > 0; --left) {
        index =
            index + 1 < extent && chance(random, 0.6) ? index + 1 : between(random, 0, extent - 1);
        indices.push_back(index);
    }
    return indices;
}

}  // namespace testing
