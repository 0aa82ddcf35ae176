// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transrank/copy/instruction_set.hpp"

namespace transrank::copy {

/// Copies a plane of units whose two dimensions change their order: those of a target row lie one
/// after the other, and at the source those of a column. Unit `u` of row `r` goes from
/// `from + u * from_stride + r * unit_bytes` to `to + r * to_stride + u * unit_bytes`.
using PlaneCopy = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                           std::int64_t from_stride, std::int64_t row_units, std::int64_t rows);

/// Code for units of one length: tiles of a cache line by a cache line, so that each line is
/// fetched once, turned in registers (P. Springer, T. Su, P. Bientinesi, HPTT, arXiv 1704.04374).
struct TileKernel {
    InstructionSet instruction_set;
    std::int64_t unit_bytes;
    /// Leaves the target in the caches.
    PlaneCopy temporal;
    /// Writes lines past the caches where every row begins at the same place of a line; to be
    /// followed by end_streaming(). nullptr where the instruction set has no such stores.
    PlaneCopy streaming;
};

/// The kernels that this processor can run, of each length the best last.
[[nodiscard]] std::span<const TileKernel> tile_kernels();

/// The best kernel for units of this length; nullptr where there is none.
[[nodiscard]] const TileKernel* tile_kernel(std::int64_t unit_bytes);

}  // namespace transrank::copy
