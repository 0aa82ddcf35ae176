// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/boxes.hpp"

#include <cstddef>
#include <cstdint>

namespace transrank::route {
namespace {

using Segments = std::span<const Segment>;

bool same_shape(const Segment& a, const Segment& b) {
    return a.length == b.length && a.count == b.count && a.source_stride == b.source_stride &&
           a.destination_stride == b.destination_stride;
}

/// Whether repetition number `repetition` of the first `block` segments lies where `repetition`
/// steps from the first to the second lead.
bool repeats(Segments segments, std::size_t block, std::size_t repetition) {
    const auto step = static_cast<std::int64_t>(repetition);
    const std::int64_t source = step * (segments[block].source - segments[0].source);
    const std::int64_t destination = step * (segments[block].destination - segments[0].destination);
    for (std::size_t i = 0; i < block; ++i) {
        const Segment& first = segments[i];
        const Segment& other = segments[(repetition * block) + i];
        if (!same_shape(first, other) || other.source != first.source + source ||
            other.destination != first.destination + destination) {
            return false;
        }
    }
    return true;
}

/// How many segments from the first on form one box.
std::size_t count_in_box(Segments segments) {
    for (std::size_t block = 1;;) {
        std::size_t repetitions = 1;
        while ((repetitions + 1) * block <= segments.size() &&
               repeats(segments, block, repetitions)) {
            ++repetitions;
        }
        if (repetitions == 1) {
            return block;
        }
        block *= repetitions;
    }
}

}  // namespace

std::vector<Segments> boxes(const Leg& leg) {
    std::vector<Segments> found;
    for (Segments left = leg.segments; !left.empty();) {
        const std::size_t count = count_in_box(left);
        found.push_back(left.first(count));
        left = left.subspan(count);
    }
    return found;
}

}  // namespace transrank::route
