// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>
#include <string>

namespace transrank::lab::machine {

/// Seconds on CLOCK_MONOTONIC: the same clock for all processes of a node.
[[nodiscard]] inline double now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + (1e-9 * static_cast<double>(time.tv_nsec));
}

/// Seconds since the epoch.
[[nodiscard]] double epoch_now() noexcept;

/// Date and time of day in UTC, to the second: `2026-11-20T12:34:56+00:00` (ISO 8601).
[[nodiscard]] std::string utc_now();

struct ClockQuality {
    double resolution_seconds;  ///< smallest difference seen between two readings
    double cost_seconds;        ///< time of one reading: median over batches of readings
};

/// Measures the clock: a few milliseconds.
[[nodiscard]] ClockQuality measure_clock();

}  // namespace transrank::lab::machine
