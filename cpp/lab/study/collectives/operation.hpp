// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::collectives {

// Values of the axes `form`, `root` and `reduction`.
inline constexpr std::string_view blocking_form = "blocking";
inline constexpr std::string_view nonblocking_form = "nonblocking";
inline constexpr std::string_view persistent_form = "persistent";
inline constexpr std::string_view in_place_form = "in-place";
// Of the axis `reduction`, which only cases of a maximum have.
inline constexpr std::string_view sum = "sum";
inline constexpr std::string_view maximum = "max";
inline constexpr std::string_view fixed_root = "fixed";
inline constexpr std::string_view rotating_root = "rotating";

/// Collective. A case of the study `collectives` made ready to run.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::collectives
