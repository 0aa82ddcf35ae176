// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace transrank::machine {

/// Seconds on CLOCK_MONOTONIC: the same clock for all processes of a node.
[[nodiscard]] inline double now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + (1e-9 * static_cast<double>(time.tv_nsec));
}

/// Seconds since the epoch.
[[nodiscard]] double epoch_now() noexcept;

struct ClockQuality {
    double resolution_seconds;  ///< smallest difference seen between two readings
    double cost_seconds;        ///< time of one reading: median over batches of readings
};

/// Measures the clock: a few milliseconds.
[[nodiscard]] ClockQuality measure_clock();

}  // namespace transrank::machine
