// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "transrank/measure/operation.hpp"
#include "transrank/study/study.hpp"

namespace transrank::study::collective {

// Values of the axes `form` and `root`.
inline constexpr std::string_view blocking_form = "blocking";
inline constexpr std::string_view nonblocking_form = "nonblocking";
inline constexpr std::string_view persistent_form = "persistent";
inline constexpr std::string_view fixed_root = "fixed";
inline constexpr std::string_view rotating_root = "rotating";

/// Collective. A case of the study `collectives` made ready to run.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::study::collective
