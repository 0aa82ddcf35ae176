// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace transrank::lab::study::advection {
namespace {

using std::numbers::pi;

double wrapped(double x) {
    return x - (2 * pi * std::floor(x / (2 * pi)));
}

double sin_x(double x, double /*y*/) {
    return std::sin(x);
}

double sin_x_sin_y(double x, double y) {
    return std::sin(x) * std::sin(y);
}

// At the border of the period it has fallen to 1e-8 of its height, so that it is smooth there as
// well.
double gaussian(double x, double y) {
    constexpr double width = 0.5;
    return std::exp(-((x - pi) * (x - pi) + ((y - pi) * (y - pi))) / (2 * width * width));
}

double top_hat(double x, double y) {
    return std::max(std::abs(x - pi), std::abs(y - pi)) < pi / 2 ? 1 : 0;
}

constexpr std::array table{InitialCondition{.name = "sin-x", .value = sin_x},
                           InitialCondition{.name = "sin-x-sin-y", .value = sin_x_sin_y},
                           InitialCondition{.name = "gaussian", .value = gaussian},
                           InitialCondition{.name = "top-hat", .value = top_hat}};

}  // namespace

std::span<const InitialCondition> initial_conditions() {
    return table;
}

double Problem::exact(double x, double y, double time) const {
    return initial.value(wrapped(x - (u * time)), wrapped(y - (v * time)));
}

}  // namespace transrank::lab::study::advection
