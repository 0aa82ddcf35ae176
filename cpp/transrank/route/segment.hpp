// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace transrank::route {

/// `count` runs of `length` units each: the i-th from source + i * source_stride to
/// destination + i * destination_stride. A single run has count 1 and strides 0.
///
/// A unit is whatever a field says it is when it is bound (a row, an element), so one route serves
/// fields of different row lengths. Offsets count from the beginning of the rank's own source and
/// destination arrays.
struct Segment {
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::int64_t length = 0;
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t destination_stride = 0;

    [[nodiscard]] std::int64_t units() const noexcept { return length * count; }
    friend bool operator==(const Segment&, const Segment&) = default;
};

/// What moves between this rank and one peer, in the order in which both of them count it: the
/// order of the destination when the route was built. Both hold the same segments, so neither needs
/// to ask.
struct Leg {
    int peer = 0;
    std::vector<Segment> segments;

    [[nodiscard]] std::int64_t units() const noexcept {
        std::int64_t sum = 0;
        for (const auto& segment : segments) {
            sum += segment.units();
        }
        return sum;
    }
    [[nodiscard]] std::int64_t runs() const noexcept {
        std::int64_t sum = 0;
        for (const auto& segment : segments) {
            sum += segment.count;
        }
        return sum;
    }
    friend bool operator==(const Leg&, const Leg&) = default;
};

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
