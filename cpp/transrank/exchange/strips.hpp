// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace transrank::exchange {

/// Places that one segment of a route reads or writes: `count` pieces of `length`, the i-th from
/// begin + i * stride on.
struct Strip {
    std::int64_t begin;
    std::int64_t length;
    std::int64_t count;
    std::int64_t stride;
    bool written;
};

/// Whether some place is written more than once. Takes time and memory in the number of strips, and
/// in that of the pieces only where the strips are intertwined.
[[nodiscard]] bool is_written_twice(std::vector<Strip> strips);

/// Whether some place is both read and written.
[[nodiscard]] bool is_written_where_read(std::vector<Strip> strips);

}  // namespace transrank::exchange
