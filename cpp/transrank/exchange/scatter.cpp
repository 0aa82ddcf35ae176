// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/scatter.hpp"

#include <cstdlib>

namespace transrank::exchange {
namespace {

constexpr std::int64_t line_bytes = 64;

// A run that is a segment of its own lies apart from the segment before it, if from any.
bool lie_apart(std::int64_t count, std::int64_t stride, std::int64_t from_last,
               std::int64_t unit_bytes) {
    return std::abs((count > 1 ? stride : from_last) * unit_bytes) >= line_bytes;
}

}  // namespace

void Scatter::add(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t short_below_bytes) {
    const route::Segment* last = nullptr;
    for (const auto& segment : leg.segments) {
        const auto moved = segment.units() * unit_bytes;
        const auto from = last == nullptr ? 0 : segment.source - last->source;
        const auto to = last == nullptr ? 0 : segment.destination - last->destination;
        bytes += moved;
        if (segment.length * unit_bytes < short_below_bytes &&
            lie_apart(segment.count, segment.source_stride, from, unit_bytes) &&
            lie_apart(segment.count, segment.destination_stride, to, unit_bytes)) {
            apart_bytes += moved;
            apart_runs += segment.count;
        }
        last = &segment;
    }
}

}  // namespace transrank::exchange
