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

/// How the short and the long runs of a leg lie among each other.
struct Mixture {
    std::int64_t short_bytes = 0;
    std::int64_t long_bytes = 0;
    std::int64_t changes = 0;  ///< from a short run to a long one that follows it, and back

    /// Runs of less than `short_below_bytes` are short.
    Mixture(const route::Leg& leg, std::int64_t unit_bytes, std::int64_t short_below_bytes);

    /// Whether they alternate in such small portions that two ranks, of which one moves the short
    /// ones and the other the long ones, would work on the same cache lines and pages.
    [[nodiscard]] bool is_fine() const noexcept;
};

}  // namespace transrank::transport
