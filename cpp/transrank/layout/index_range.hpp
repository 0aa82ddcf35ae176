// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace transrank::layout {

/// The indices [begin, end).
struct IndexRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] constexpr std::int64_t length() const noexcept { return end - begin; }
    [[nodiscard]] constexpr bool empty() const noexcept { return end <= begin; }
    [[nodiscard]] constexpr bool contains(std::int64_t index) const noexcept {
        return begin <= index && index < end;
    }
    friend constexpr bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Empty, with begin == end, when the ranges do not meet.
[[nodiscard]] constexpr IndexRange intersection(const IndexRange& a, const IndexRange& b) noexcept {
    const std::int64_t begin = std::max(a.begin, b.begin);
    return {.begin = begin, .end = std::max(begin, std::min(a.end, b.end))};
}

/// Whether two of these ranges, none of which is empty, meet.
[[nodiscard]] inline bool some_meet(std::vector<IndexRange> ranges) {
    std::ranges::sort(ranges, {}, &IndexRange::begin);
    return std::ranges::adjacent_find(ranges, [](const IndexRange& one, const IndexRange& next) {
               return next.begin < one.end;
           }) != ranges.end();
}

}  // namespace transrank::layout
