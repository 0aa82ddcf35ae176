// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/statistics.hpp"

#include <algorithm>

namespace transrank::route {
namespace {

layout::IndexRange covered(std::int64_t offset, std::int64_t stride, const Segment& segment) {
    return {.begin = offset, .end = offset + ((segment.count - 1) * stride) + segment.length};
}

layout::IndexRange hull(const layout::IndexRange& a, const layout::IndexRange& b) {
    return {.begin = std::min(a.begin, b.begin), .end = std::max(a.end, b.end)};
}

}  // namespace

LegStatistics statistics(const Leg& leg) {
    const auto outline = leg.segments.outline();
    LegStatistics made{.units = outline.units,
                       .segments = outline.segments,
                       .runs = outline.runs,
                       .shortest_run = outline.shortest_run,
                       .longest_run = outline.longest_run,
                       .source = {},
                       .destination = {}};
    bool first = true;
    for (const auto& segment : leg.segments) {
        const auto source = covered(segment.source, segment.source_stride, segment);
        const auto destination = covered(segment.destination, segment.destination_stride, segment);
        made.source = first ? source : hull(made.source, source);
        made.destination = first ? destination : hull(made.destination, destination);
        first = false;
    }
    return made;
}

}  // namespace transrank::route
