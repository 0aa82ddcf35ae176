// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Calls `visit(source, destination, length)` with every run of a leg, in the leg's order.
template <class Visit>
void for_each_run(const Leg& leg, const Visit& visit) {
    for (const auto& segment : leg.segments) {
        for (std::int64_t i = 0; i < segment.count; ++i) {
            visit(segment.source + (i * segment.source_stride),
                  segment.destination + (i * segment.destination_stride), segment.length);
        }
    }
}

}  // namespace transrank::route
