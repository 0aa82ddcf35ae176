// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/layout/index_range.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// The size and shape of a leg, in units. All 0 for an empty leg.
struct LegStatistics {
    std::int64_t units = 0;
    std::int64_t segments = 0;
    std::int64_t runs = 0;
    std::int64_t shortest_run = 0;
    std::int64_t longest_run = 0;
    /// The smallest ranges of the two arrays in which all runs lie.
    layout::IndexRange source;
    layout::IndexRange destination;
};

[[nodiscard]] LegStatistics statistics(const Leg& leg);

}  // namespace transrank::route
