// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "lab/measure/samples.hpp"
#include "lab/measure/stopping.hpp"

namespace transrank::lab::measure {
namespace {

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

}  // namespace

std::unique_ptr<Stopping> make_interval_stopping(double precision, double max_seconds) {
    return std::make_unique<Interval>(precision, max_seconds);
}

}  // namespace transrank::lab::measure
