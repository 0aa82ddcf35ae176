// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>

namespace transrank::lab::runner {

/// Within which times the probes of the cores lie in rounds that count; by default any.
struct CoreBounds {
    double least_latency_seconds = 0;
    double most_latency_seconds = std::numeric_limits<double>::infinity();
    double most_work_seconds = std::numeric_limits<double>::infinity();

    /// A latency that is not known (NaN) lies within no bounds but the default ones.
    [[nodiscard]] bool hold_latency(double seconds) const {
        return std::isinf(most_latency_seconds) ||
               (seconds >= least_latency_seconds && seconds <= most_latency_seconds);
    }
    [[nodiscard]] bool hold_work(double seconds) const { return seconds <= most_work_seconds; }
};

}  // namespace transrank::lab::runner
