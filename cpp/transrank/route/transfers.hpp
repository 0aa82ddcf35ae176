// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// Numbers that follow each other, of units of an array or of indices in a list: `begin` + i stands
/// at `position` + i of `rank`.
struct ListRun {
    int rank = 0;
    std::int64_t begin = 0;
    std::int64_t length = 0;
    std::int64_t position = 0;
    friend bool operator==(const ListRun&, const ListRun&) = default;
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

/// What the legs deliver to their destination, and from where, in no order.
[[nodiscard]] std::vector<ListRun> deliveries(std::span<const Leg> receives);

/// A number that two ranks deliver.
struct Clash {
    std::int64_t number = 0;
    int one = 0;
    int other = 0;
};

/// Sorts by number; returns a number that is delivered twice, if any.
[[nodiscard]] std::optional<Clash> sort_deliveries(std::vector<ListRun>& deliveries);

/// Appends the transfers of the numbers that a rank wants, cut where they come from different
/// places. Returns the first number that nobody delivers. The deliveries must be sorted.
[[nodiscard]] std::optional<std::int64_t> append_transfers(const std::vector<ListRun>& deliveries,
                                                           const ListRun& wanted,
                                                           std::vector<Transfer>& transfers);

/// The compressed legs of all pairs, ascending by origin, then by peer.
[[nodiscard]] std::vector<Forward> join(std::vector<Transfer> transfers);

}  // namespace transrank::route
