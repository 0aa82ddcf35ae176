// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "communicator.hpp"

namespace transrank::carry {

/// Environment variable: where it is set, rank 0 says on stderr what became of its calls.
inline constexpr auto summary_variable = "TRANSRANK_CARRY_SUMMARY";

using Clock = std::chrono::steady_clock;

/// Adds a call that began then.
void count(Kind kind, Way way, std::int64_t bytes, Clock::time_point begin) noexcept;

/// Writes the summary, if it is asked for and this is rank 0. MPI has not been finalized.
void print_summary() noexcept;

}  // namespace transrank::carry
