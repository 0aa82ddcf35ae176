// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transrank/schedule/algorithm.hpp"

namespace transrank::schedule {

/// The place `distance` further along a ring; the distance may be negative, not below -ranks.
[[nodiscard]] inline int further(int place, int distance, int ranks) {
    return static_cast<int>((static_cast<long long>(place) + distance + ranks) % ranks);
}

/// How far `to` is from `from` along a ring, from 0 to ranks - 1.
[[nodiscard]] inline int distance(int from, int to, int ranks) {
    return (to - from + ranks) % ranks;
}

}  // namespace transrank::schedule
