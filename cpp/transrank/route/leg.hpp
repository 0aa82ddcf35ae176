// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transrank/route/segment.hpp"
#include "transrank/route/segments.hpp"

namespace transrank::route {

/// What moves between this rank and one peer, in the order in which both of them count it: the
/// order of the destination when the route was built. Both hold the same segments, so neither needs
/// to ask.
struct Leg {
    int peer = 0;
    Segments segments;

    [[nodiscard]] std::int64_t units() const noexcept { return segments.outline().units; }
    [[nodiscard]] std::int64_t runs() const noexcept { return segments.outline().runs; }
    friend bool operator==(const Leg&, const Leg&) = default;
};

/// Which side of a leg an array is.
enum class End : std::uint8_t { source, destination };

/// The legs with source and destination changed about.
[[nodiscard]] std::vector<Leg> turned(std::span<const Leg> legs);

/// Calls `visit(source, destination, length)` with every run of a leg, in the leg's order.
template <class Visit>
void for_each_run(const Leg& leg, const Visit& visit) {
    for (const auto& segment : leg.segments) {
        for_each_row(segment, [&](const Row& row) {
            for (std::int64_t i = 0; i < row.count; ++i) {
                visit(row.source + (i * row.source_stride),
                      row.destination + (i * row.destination_stride), row.length);
            }
        });
    }
}

}  // namespace transrank::route
