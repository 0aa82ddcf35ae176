// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// Numbers [begin, begin + length) and where they come from: units of an array between two routes,
/// or indices of a list.
struct Delivery {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    std::int64_t source = 0;
    int origin = 0;
};

/// One run from its origin to its target.
struct Transfer {
    int origin = 0;
    int target = 0;
    std::int64_t destination = 0;
    std::int64_t source = 0;
    std::int64_t length = 0;

    [[nodiscard]] auto order() const { return std::tuple(origin, target, destination); }
};

/// What moves from `origin` to `leg.peer`, found by a rank that may be neither.
struct Forward {
    int origin = 0;
    Leg leg;
    friend bool operator==(const Forward&, const Forward&) = default;
};

/// What the legs deliver to their destination, in no order.
[[nodiscard]] std::vector<Delivery> deliveries(std::span<const Leg> receives);

/// A number that two ranks deliver.
struct Clash {
    std::int64_t number = 0;
    int one = 0;
    int other = 0;
};

/// Sorts by number; returns a number that is delivered twice, if any.
[[nodiscard]] std::optional<Clash> sort_deliveries(std::vector<Delivery>& deliveries);

/// Appends the transfers to `target` of the numbers [wanted.source, wanted.source + wanted.length),
/// which belong at wanted.destination, cut where they come from different places. Returns the first
/// number that nobody delivers. The deliveries must be sorted.
[[nodiscard]] std::optional<std::int64_t> append_transfers(const std::vector<Delivery>& deliveries,
                                                           int target, const Segment& wanted,
                                                           std::vector<Transfer>& transfers);

/// The compressed legs of all pairs, ascending by origin, then by peer.
[[nodiscard]] std::vector<Forward> join(std::vector<Transfer> transfers);

}  // namespace transrank::route
