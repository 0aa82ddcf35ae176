// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::one_sided {

/// What is added up, modulo its range.
struct Word {
    std::string_view name;
    MPI_Datatype handle;
    std::int64_t bytes;
};

/// 64-bit integers first, which a case works on that names none.
[[nodiscard]] std::span<const Word> words();
[[nodiscard]] const Word& word_of(const measure::Case& point);

/// A way to access a window.
struct Action {
    std::string_view name;
    bool words = false;     ///< works on words
    bool one_word = false;  ///< on a single one
};

[[nodiscard]] std::vector<std::string> action_names();

/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] const Action& find_action(std::string_view name);

/// Ways to complete what an epoch has begun, those that a study measures unasked first.
[[nodiscard]] std::vector<std::string> epoch_names();

/// Values of the axis `direction`: rank 0 accesses the memory of rank 1, or each that of the other.
inline constexpr std::string_view one_way = "one-way";
inline constexpr std::string_view both_ways = "both-ways";

/// Collective. A case of the study `one-sided` made ready to run. Throws std::runtime_error where
/// a shared window is asked for and the ranks are on different nodes.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::one_sided
