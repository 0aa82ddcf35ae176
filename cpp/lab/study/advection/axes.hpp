// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.hpp"

namespace transrank::lab::study::advection {

/// The axes that every study of advection has: `scheme`, of which it chooses the defaults,
/// `processes`, `velocity`.
[[nodiscard]] std::vector<AxisChoice> domain_axes(const AxisChoice& scheme);

/// The axis `transport`: the `first` values, then what the library is held against; on request the
/// library's transports one by one and the other baselines.
[[nodiscard]] AxisChoice transports(std::vector<std::string> first);

/// +1 or -1 by the sign of a dimension in a value of the axis `velocity`.
[[nodiscard]] inline double sign_of(const std::string& velocity, std::size_t dimension) {
    return velocity[dimension] == '+' ? 1 : -1;
}

}  // namespace transrank::lab::study::advection
