// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/shared/scatter.hpp"

#include <cstdlib>

namespace transrank::transport {
namespace {

constexpr std::int64_t line_bytes = 64;

// Whether runs that begin `step` units apart leave the rest of their cache lines unused. A
// run that is a segment of its own lies apart from the last run before it, if from any.
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
    route::Row last;
    for (const auto& segment : leg.segments) {
        const auto moved = segment.units() * unit_bytes;
        const bool single = segment.count == 1 && last.length > 0;
        const auto from = single ? segment.source - last.source : segment.source_stride;
        const auto to =
            single ? segment.destination - last.destination : segment.destination_stride;
        const auto length = single ? last.length : segment.length;
        bytes += moved;
        if (segment.length * unit_bytes < short_below_bytes &&
            lie_apart(from, length, unit_bytes) && lie_apart(to, length, unit_bytes)) {
            apart_bytes += moved;
            apart_runs += segment.runs();
        }
        const auto end = route::end_of(segment);
        last = {.source = static_cast<std::int64_t>(end.source) - segment.length,
                .destination = static_cast<std::int64_t>(end.destination) - segment.length,
                .length = segment.length};
    }
}

}  // namespace transrank::transport
