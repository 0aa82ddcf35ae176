// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::collectives {

// Values of the axes `form` and `root`.
inline constexpr std::string_view blocking_form = "blocking";
inline constexpr std::string_view nonblocking_form = "nonblocking";
inline constexpr std::string_view persistent_form = "persistent";
inline constexpr std::string_view fixed_root = "fixed";
inline constexpr std::string_view rotating_root = "rotating";

/// Collective. A case of the study `collectives` made ready to run.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::collectives
