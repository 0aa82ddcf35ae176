// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace transrank::exchange {

/// Places that one segment of a route reads or writes: `count` pieces of `length`, the i-th from
/// begin + i * stride on.
struct StridedRange {
    std::int64_t begin;
    std::int64_t length;
    std::int64_t count;
    std::int64_t stride;
    bool written;
    int owner = 0;  ///< the field it belongs to
};

/// Whether some place is written more than once. Memory and time are linear in the number of
/// ranges, up to a logarithm; time is linear in the number of pieces only where ranges are
/// interleaved.
[[nodiscard]] bool is_written_twice(std::vector<StridedRange> ranges);

/// Two uses that must not meet at one place; `writer` writes there.
struct Clash {
    int writer;
    int other;
    bool other_writes;
};

/// A place that is both written and read, or written by two owners. Costs as much as the above.
[[nodiscard]] std::optional<Clash> find_clash(std::vector<StridedRange> ranges);

}  // namespace transrank::exchange
