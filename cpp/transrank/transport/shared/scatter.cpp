// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/shared/scatter.hpp"

#include <cstdlib>
#include <optional>

namespace transrank::transport {
namespace {

constexpr std::int64_t line_bytes = 64;

// Whether runs that begin `step` units apart leave the rest of their cache lines unused. A
// run that is a segment of its own lies apart from the segment before it, if from any.
bool lie_apart(std::int64_t step, std::int64_t length, std::int64_t unit_bytes) {
    return step != length && std::abs(step * unit_bytes) >= line_bytes;
}

// A block's faces are a few portions, however small it is; random rows are very many.
constexpr std::int64_t fewest_changes = 16;
constexpr std::int64_t fine_portion_bytes = std::int64_t{1} << 14U;

}  // namespace

Mixture::Mixture(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t short_below_bytes) {
    const auto outline = leg.segments.outline();
    const auto bytes = outline.units * unit_bytes;
    if (outline.longest_run * unit_bytes < short_below_bytes) {
        short_bytes = bytes;
        return;
    }
    bool was_long = leg.segments.front().length * unit_bytes >= short_below_bytes;
    for (const auto& segment : leg.segments) {
        const bool is_long = segment.length * unit_bytes >= short_below_bytes;
        (is_long ? long_bytes : short_bytes) += segment.units() * unit_bytes;
        changes += is_long != was_long ? 1 : 0;
        was_long = is_long;
    }
}

bool Mixture::is_fine() const noexcept {
    return changes >= fewest_changes && short_bytes + long_bytes < changes * fine_portion_bytes;
}

void Scatter::add(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t short_below_bytes) {
    const auto outline = leg.segments.outline();
    if (outline.source_stretches <= 1 || outline.destination_stretches <= 1 ||
        outline.shortest_run * unit_bytes >= short_below_bytes) {
        bytes += outline.units * unit_bytes;  // none is short, or apart
        return;
    }
    std::optional<route::Segment> last;
    for (const auto& segment : leg.segments) {
        const auto moved = segment.units() * unit_bytes;
        const auto from = !last ? 0 : segment.source - last->source;
        const auto to = !last ? 0 : segment.destination - last->destination;
        const bool single = segment.count == 1;
        const auto& before = single && last ? *last : segment;
        bytes += moved;
        if (segment.length * unit_bytes < short_below_bytes &&
            lie_apart(single ? from : segment.source_stride, before.length, unit_bytes) &&
            lie_apart(single ? to : segment.destination_stride, before.length, unit_bytes)) {
            apart_bytes += moved;
            apart_runs += segment.count;
        }
        last = segment;
    }
}

}  // namespace transrank::transport
