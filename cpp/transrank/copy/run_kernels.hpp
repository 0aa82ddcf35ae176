// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transrank/copy/instruction_set.hpp"

namespace transrank::copy {

/// Copies `count` runs, whose beginnings lie the strides apart, between places that do not overlap.
using RunCopy = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                         std::int64_t from_stride, std::int64_t count);

/// Where a unit is, counted in units from the two bases.
struct UnitIndex {
    std::int32_t from;
    std::int32_t to;
};

/// Copies the units of a list, in its order, between places that do not overlap.
using UnitCopy = void (*)(std::byte* to, const std::byte* from, std::span<const UnitIndex> units);

/// The longest runs that code is made for, and the unit of their lengths.
inline constexpr std::size_t longest_run_bytes = 256;
inline constexpr std::size_t run_word_bytes = 8;

/// Code for short runs and units, one function for each length: 8, 16 ... 256 bytes.
struct RunKernels {
    InstructionSet instruction_set;
    std::array<RunCopy, longest_run_bytes / run_word_bytes> by_words;
    std::array<UnitCopy, longest_run_bytes / run_word_bytes> units_by_words;
};

/// The kernels that this processor can run, the best last.
[[nodiscard]] std::span<const RunKernels> run_kernels();

/// The best code for runs of `length` bytes; nullptr when there is none for that length.
[[nodiscard]] RunCopy run_copy(std::int64_t length);
/// The same for units.
[[nodiscard]] UnitCopy unit_copy(std::int64_t length);

}  // namespace transrank::copy
