// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "transrank/copy/instruction_set.hpp"

namespace transrank::copy {

/// Copies `bytes` between buffers that do not overlap, of any alignment.
using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies for one instruction set that write past the caches, which std::memcpy does only from a
/// size on that is its library's.
struct CopyKernel {
    InstructionSet instruction_set;
    /// Writes whole lines past the caches: others see the target only after end_streaming().
    Copy streaming;
};

/// The kernels that this processor can run, the widest last: none where it has no such stores.
[[nodiscard]] std::span<const CopyKernel> copy_kernels();

/// The widest kernel that writes past the caches; nullptr where there is none. end_streaming() must
/// follow before the target is published to others.
[[nodiscard]] Copy streaming_copy();

/// Returns when others can see what this thread has streamed.
void end_streaming() noexcept;

}  // namespace transrank::copy
