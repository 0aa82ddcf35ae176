// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace transrank::lab::machine {

double epoch_now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<double>(time.tv_sec) + (1e-9 * static_cast<double>(time.tv_nsec));
}

std::string utc_now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &parts);
    return {text.data(), length};
}

ClockQuality measure_clock() {
    constexpr int readings = 200;
    std::array<double, 51> costs{};
    // Seconds since boot as a double lose nanoseconds on a machine up for months, so differences
    // are taken within a batch and the resolution is what callers of now() really see.
    double resolution = std::numeric_limits<double>::infinity();
    for (double& cost : costs) {
        const double begin = now();
        double previous = begin;
        for (int i = 0; i < readings; ++i) {
            const double reading = now();
            if (reading > previous) {
                resolution = std::min(resolution, reading - previous);
            }
            previous = reading;
        }
        cost = (previous - begin) / readings;
    }
    auto* middle = costs.begin() + (costs.size() / 2);
    std::nth_element(costs.begin(), middle, costs.end());
    return {.resolution_seconds = resolution, .cost_seconds = *middle};
}

}  // namespace transrank::lab::machine
