// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace transrank::lab::measure {
namespace {

// The largest k with P(Binomial(n, 1/2) < k) <= 0.025: the interval is [x_(k), x_(n+1-k)], k
// from 1.
std::size_t interval_place(std::size_t n) {
    const double log_total = static_cast<double>(n) * std::log(2.0);
    double tail = 0;
    std::size_t k = 0;
    for (double log_choose = 0; k < n; ++k) {
        tail += std::exp(log_choose - log_total);
        if (tail > 0.025) {
            break;
        }
        log_choose += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
    }
    return k;
}

}  // namespace

std::string_view name(StopReason reason) {
    switch (reason) {
        case StopReason::precise:
            return "precise";
        case StopReason::max_time:
            return "max-time";
        case StopReason::count:
            return "count";
        case StopReason::go_on:
            break;
    }
    return "go-on";
}

MedianInterval median_interval(std::span<double> values) {
    std::ranges::sort(values);
    const std::size_t n = values.size();
    const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
    const std::size_t place = std::max<std::size_t>(interval_place(n), 1);
    return {.low = values[place - 1], .median = median, .high = values[n - place]};
}

}  // namespace transrank::lab::measure
