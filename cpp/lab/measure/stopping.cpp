// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/measure/samples.hpp"

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

// A case is seen in several rounds, with the other cases of its group between them, before its
// spread is believed.
constexpr int least_rounds = 4;
constexpr std::size_t least_samples = 20;
// How much longer than its budget a case may take until it has as many clean samples as an interval
// needs: where others were disturbed, and where there was no time for more.
constexpr double most_overdraft_disturbed = 4;
constexpr double most_overdraft_long = 2;

class Interval final : public Stopping {
public:
    Interval(double precision, double max_seconds)
        : precision_(precision), max_seconds_(max_seconds) {}

    [[nodiscard]] StopReason judge(const Progress& progress) const override {
        if (progress.rounds - progress.uncounted >= least_rounds &&
            progress.seconds.size() >= least_samples) {
            std::vector<double> sorted(progress.seconds.begin(), progress.seconds.end());
            const auto interval = median_interval(sorted);
            if (interval.high - interval.low <= precision_ * interval.median) {
                return StopReason::precise;
            }
        }
        const bool seen = progress.rounds >= 2 && !progress.seconds.empty();
        return seen && progress.measuring_seconds >= patience(progress) * max_seconds_
                   ? StopReason::max_time
                   : StopReason::go_on;
    }

private:
    static double patience(const Progress& progress) {
        // Cores that are elsewhere stay there for seconds: a later launch may meet them again.
        if (progress.clean >= static_cast<std::int64_t>(least_clean) || progress.uncounted > 0) {
            return 1;
        }
        const bool disturbed = progress.clean < static_cast<std::int64_t>(progress.seconds.size());
        return disturbed ? most_overdraft_disturbed : most_overdraft_long;
    }

    double precision_;
    double max_seconds_;
};

class Count final : public Stopping {
public:
    explicit Count(std::int64_t operations) : operations_(operations) {}

    [[nodiscard]] StopReason judge(const Progress& progress) const override {
        return progress.operations >= operations_ ? StopReason::count : StopReason::go_on;
    }

private:
    std::int64_t operations_;
};

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

std::unique_ptr<Stopping> make_interval_stopping(double precision, double max_seconds) {
    return std::make_unique<Interval>(precision, max_seconds);
}

std::unique_ptr<Stopping> make_count_stopping(std::int64_t operations) {
    return std::make_unique<Count>(operations);
}

}  // namespace transrank::lab::measure
