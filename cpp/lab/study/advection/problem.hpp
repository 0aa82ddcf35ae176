// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace transrank::lab::study::advection {

/// A field of period 2 pi in both dimensions.
struct InitialCondition {
    std::string_view name;
    double (*value)(double x, double y);
};

/// `sin-x`, `sin-x-sin-y`, `gaussian`: smooth; `top-hat`: not.
[[nodiscard]] std::span<const InitialCondition> initial_conditions();

/// Advection with constant velocity: c_t + u c_x + v c_y = 0.
struct Problem {
    const InitialCondition& initial;
    double u;
    double v;

    /// The analytic solution.
    [[nodiscard]] double exact(double x, double y, double time) const;
};

}  // namespace transrank::lab::study::advection
