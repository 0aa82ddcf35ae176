// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::one_sided {

inline constexpr std::int64_t word_bytes = sizeof(std::uint64_t);

/// A way to access a window.
struct Action {
    std::string_view name;
    bool words = false;     ///< works on 64-bit integers
    bool one_word = false;  ///< on a single one
};

[[nodiscard]] std::vector<std::string> action_names();

/// Throws std::out_of_range when there is none of this name.
[[nodiscard]] const Action& find_action(std::string_view name);

/// Ways to complete what an epoch has begun.
[[nodiscard]] std::vector<std::string> epoch_names();

/// Collective. A case of the study `one-sided` made ready to run. Throws std::runtime_error where
/// a shared window is asked for and the ranks are on different nodes.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::one_sided
