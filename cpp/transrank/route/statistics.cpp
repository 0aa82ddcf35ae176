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
    LegStatistics made;
    for (const auto& segment : leg.segments) {
        const auto source = covered(segment.source, segment.source_stride, segment);
        const auto destination = covered(segment.destination, segment.destination_stride, segment);
        const bool first = made.segments == 0;
        made.shortest_run = first ? segment.length : std::min(made.shortest_run, segment.length);
        made.longest_run = std::max(made.longest_run, segment.length);
        made.source = first ? source : hull(made.source, source);
        made.destination = first ? destination : hull(made.destination, destination);
        made.units += segment.units();
        made.runs += segment.count;
        ++made.segments;
    }
    return made;
}

}  // namespace transrank::route
