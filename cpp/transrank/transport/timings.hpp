// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

/// Conclusions from timings on a machine that also does other work.
namespace transrank::transport {

/// The least of what `round` returns, in seconds: a disturbance can only make a round longer. One
/// round before these does not count, since it pays for where the cache lines were before.
template <class Round>
[[nodiscard]] double least_of(std::int64_t rounds, const Round& round) {
    (void)round();
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < rounds; ++i) {
        least = std::min(least, round());
    }
    return least;
}

/// The seconds of one method in two measurements.
using Twice = std::array<double, 2>;

/// How much less `other` costs than `one`, as a logarithm; negative where it costs more. It is 0
/// unless both measurements have found the same one better by at least 15 %. Then the caller keeps
/// its default, so that equal machines choose alike.
[[nodiscard]] inline double advantage(const Twice& one, const Twice& other) {
    constexpr double clearly_better = 1.15;
    const double clear = std::log(clearly_better);
    const auto [least, most] =
        std::minmax({std::log(one[0] / other[0]), std::log(one[1] / other[1])});
    if (least > clear) {
        return least;
    }
    return most < -clear ? most : 0;
}

}  // namespace transrank::transport
