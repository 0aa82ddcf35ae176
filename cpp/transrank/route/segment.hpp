// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

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

}  // namespace transrank::route
