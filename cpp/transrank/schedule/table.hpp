// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/schedule/algorithm.hpp"

// Every algorithm's row is made in its own file, by steps around rings of ranks; algorithm.cpp
// lists them.
namespace transrank::schedule {

/// The place `distance` further along a ring; the distance may be negative, not below -ranks.
[[nodiscard]] inline int further(int place, int distance, int ranks) {
    return static_cast<int>((static_cast<long long>(place) + distance + ranks) % ranks);
}

/// How far `to` is from `from` along a ring, from 0 to ranks - 1.
[[nodiscard]] inline int distance(int from, int to, int ranks) {
    return (to - from + ranks) % ranks;
}

Algorithm linear();
Algorithm linear_bounded();
Algorithm pairwise();
Algorithm double_spread();
Algorithm two_process();
Algorithm bruck();
Algorithm recursive_doubling();
Algorithm node_leader();
Algorithm node_leaders();
Algorithm torus_3d();
Algorithm torus_6d();

}  // namespace transrank::schedule
