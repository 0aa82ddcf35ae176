// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace transrank::copy {

/// The instructions that a kernel uses. The library is compiled for the oldest processor of its
/// architecture; faster instructions are chosen when it runs.
enum class InstructionSet : std::uint8_t { portable, sse2, avx2, avx512 };
[[nodiscard]] std::string_view name(InstructionSet set);

/// Those that this processor and its operating system can run, the widest last.
[[nodiscard]] std::span<const InstructionSet> supported_instruction_sets();

}  // namespace transrank::copy
