// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "lab/measure/operation.hpp"
#include "lab/study/memory_copy/triad_kernels.hpp"
#include "lab/study/study.hpp"
#include "transrank/copy/copy_kernels.hpp"

namespace transrank::lab::study {

/// What the triad reads per element: one double of each operand.
inline constexpr std::int64_t triad_bytes_read = 16;
/// What STREAM counts per element: both operands and the result.
inline constexpr std::int64_t triad_bytes_counted = 24;

/// Copies `bytes` from the send to the receive side of the workspace. No communication: each rank
/// verifies what it copied itself.
[[nodiscard]] std::unique_ptr<measure::Operation> make_copy_operation(const measure::Case& point,
                                                                      const Setting& setting,
                                                                      copy::Copy copy);

/// The triad of two operands that share `bytes` of the send side, one after the other; the result
/// takes half as much of the receive side.
[[nodiscard]] std::unique_ptr<measure::Operation> make_triad_operation(const measure::Case& point,
                                                                       const Setting& setting,
                                                                       Triad triad);

}  // namespace transrank::lab::study
