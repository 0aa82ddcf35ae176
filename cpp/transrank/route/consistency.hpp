// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// A summary of a leg (what one rank sends another). If both ranks hold the same leg, their
/// summaries are equal.
struct LegDigest {
    std::int64_t units = 0;
    std::int64_t segments = 0;
    std::uint64_t checksum = 0;
    friend bool operator==(const LegDigest&, const LegDigest&) = default;
};
/// The summary of `leg`. Throws nothing.
[[nodiscard]] LegDigest digest(const Leg& leg);
/// The summary of `leg`, or std::nullopt if `leg` is nullptr. Throws nothing.
[[nodiscard]] std::optional<LegDigest> digest(const Leg* leg);

/// Checks that both ranks hold the same leg from rank `sender` to rank `receiver`, by its summaries
/// `sent`, of the sender, and `received`. If these differ or one is missing, throws
/// std::invalid_argument, which names both ranks and what each of them holds.
void check_same(int sender, int receiver, const std::optional<LegDigest>& sent,
                const std::optional<LegDigest>& received);

/// Checks that `routes` fit together, where routes[r] is the route of rank r: every leg is among
/// its sender's sends and its receiver's receives with the same segments, and fits both arrays. If
/// not, throws std::invalid_argument, which names the two ranks and what each of them holds.
void check_consistent(std::span<const Route> routes);

/// Checks that `route` delivers no unit of its destination twice. If it does, throws
/// std::invalid_argument, which names the unit and the ranks that deliver it.
void check_delivered_once(const Route& route);

/// Checks that `route` delivers no unit of its destination twice, and delivers `units` units in
/// all. If the destination has no more units, it is then complete. Throws std::invalid_argument if
/// not.
void check_all_delivered_once(const Route& route, std::int64_t units);

}  // namespace transrank::route
