// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::overlap {

// Operations beside the collective ones.
inline constexpr std::string_view message = "message";
inline constexpr std::string_view exchange = "exchange";

// Values of the axis `part`.
inline constexpr std::string_view alone = "alone";
inline constexpr std::string_view computation = "computation";
inline constexpr std::string_view together = "together";

/// What the operation and form of `part` need and count: a case of the studies `collectives` or
/// `neighborhood`, or one with a message on each side.
[[nodiscard]] measure::Case moved(const measure::Case& part, int ranks);

/// Collective. A case of the study `overlap` made ready to run.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::overlap
