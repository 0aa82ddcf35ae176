// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace transrank::transport {

/// What a way has cost in two measurements.
using Twice = std::array<double, 2>;

/// How much less `other` costs than `one`, as a logarithm; negative where it costs more. 0, so that
/// a default stays, unless both measurements have found the same one better by 15 %: timings of a
/// machine that others use, too, differ by less than that for no reason.
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
