// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// Enough of a leg to tell whether that of its other rank is the same.
struct LegDigest {
    std::int64_t units = 0;
    std::int64_t segments = 0;
    std::uint64_t checksum = 0;
    friend bool operator==(const LegDigest&, const LegDigest&) = default;
};
/// Of a leg. Throws nothing.
[[nodiscard]] LegDigest digest(const Leg& leg);
/// Of the leg, if there is one. Throws nothing.
[[nodiscard]] std::optional<LegDigest> digest(const Leg* leg);

/// Checks that both ranks of a leg, `sender` and `receiver`, hold the same one, `sent` and
/// `received`. Throws std::invalid_argument naming the two and what each of them holds, if
/// anything.
void check_same(int sender, int receiver, const std::optional<LegDigest>& sent,
                const std::optional<LegDigest>& received);

/// Checks that routes[r] is rank r's side of one movement: every leg is among its sender's sends
/// and its receiver's receives with the same segments, and fits both arrays. Throws
/// std::invalid_argument naming the two ranks and what each of them holds.
void check_consistent(std::span<const Route> routes);

/// Checks that a route delivers no unit of its destination twice. Throws std::invalid_argument
/// naming the unit and the ranks that deliver it.
void check_delivered_once(const Route& route);

/// The same, and that `units` units arrive in all: every one of a destination that has no more.
/// Throws std::invalid_argument.
void check_all_delivered_once(const Route& route, std::int64_t units);

}  // namespace transrank::route
