// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// A summary of a leg (what one rank sends another). It is equal on both ranks if their legs are.
struct LegDigest {
    std::int64_t units = 0;
    std::int64_t segments = 0;
    std::uint64_t checksum = 0;
    friend bool operator==(const LegDigest&, const LegDigest&) = default;
};
/// The summary of `leg`. Throws nothing.
[[nodiscard]] LegDigest digest(const Leg& leg);
/// The summary of `leg`, or none if it is nullptr. Throws nothing.
[[nodiscard]] std::optional<LegDigest> digest(const Leg* leg);

/// Checks that rank `sender` holds the same leg, `sent`, as rank `receiver`, `received`. Throws
/// std::invalid_argument naming the two and what each of them holds, if anything.
void check_same(int sender, int receiver, const std::optional<LegDigest>& sent,
                const std::optional<LegDigest>& received);

/// Checks that `routes`, of which routes[r] is rank r's, fit together: every leg is among its
/// sender's sends and its receiver's receives with the same segments, and fits both arrays. Throws
/// std::invalid_argument naming the two ranks and what each of them holds.
void check_consistent(std::span<const Route> routes);

/// Checks that a route delivers no unit of its destination twice. Throws std::invalid_argument
/// naming the unit and the ranks that deliver it.
void check_delivered_once(const Route& route);

/// Checks that a route delivers no unit of its destination twice, and `units` units in all: every
/// unit, if the destination has no more. Throws std::invalid_argument.
void check_all_delivered_once(const Route& route, std::int64_t units);

}  // namespace transrank::route
