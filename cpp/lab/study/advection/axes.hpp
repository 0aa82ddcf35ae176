// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/study/study.hpp"

namespace transrank::lab::study::advection {

/// The axes that every study of advection has: `scheme`, of which it chooses the defaults,
/// `processes`, `velocity`.
[[nodiscard]] std::vector<AxisChoice> domain_axes(const AxisChoice& scheme);
/// The axis `points`, in each dimension, whose `values` and `quick` a study chooses.
[[nodiscard]] AxisChoice points_axis(std::vector<std::string> values, std::int64_t least);

/// The axis `transport`: the `first` values, then what the library is held against; on request the
/// library's transports one by one and the other baselines.
[[nodiscard]] AxisChoice transports(std::vector<std::string> first);

struct Velocity {
    double u = 0;
    double v = 0;

    [[nodiscard]] double largest() const { return std::max(std::abs(u), std::abs(v)); }
};

/// A value of the axis `velocity`: `U:V`, or two signs, of 0.5 in each dimension.
[[nodiscard]] Velocity velocity_named(const std::string& text);

}  // namespace transrank::lab::study::advection
