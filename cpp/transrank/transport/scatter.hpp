// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/route/leg.hpp"

namespace transrank::transport {

/// How many of the bytes between two ranks lie in short runs, each on cache lines of its own at
/// both ends, as those of a grid's column do; runs that are contiguous at either end do not count.
/// Moved directly, each of them drags a whole line from one core to another, whichever rank moves
/// it; packed, a line holds many.
struct Scatter {
    std::int64_t bytes = 0;
    std::int64_t apart_bytes = 0;
    std::int64_t apart_runs = 0;

    /// Adds one field of a leg; runs of less than `short_below_bytes` are short.
    void add(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t short_below_bytes);

    /// Whether they are more than half of all.
    [[nodiscard]] bool prevails() const noexcept { return 2 * apart_bytes > bytes; }
};

}  // namespace transrank::transport
