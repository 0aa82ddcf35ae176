// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "transrank/measure/samples.hpp"
#include "transrank/measure/stopping.hpp"

namespace transrank::measure {
namespace {

// A case is seen in several rounds, with the other cases of its group between them, before its
// spread is believed.
constexpr int least_rounds = 4;
constexpr std::size_t least_samples = 20;
// How much longer than its budget a case may wait for clean samples.
constexpr double most_overdraft = 4;

class Interval final : public Stopping {
public:
    Interval(double precision, double max_seconds)
        : precision_(precision), max_seconds_(max_seconds) {}

    [[nodiscard]] StopReason judge(const Progress& progress) const override {
        if (progress.rounds >= least_rounds && progress.seconds.size() >= least_samples) {
            std::vector<double> sorted(progress.seconds.begin(), progress.seconds.end());
            const auto interval = median_interval(sorted);
            if (interval.high - interval.low <= precision_ * interval.median) {
                return StopReason::precise;
            }
        }
        const bool seen = progress.rounds >= 2 && !progress.seconds.empty();
        const bool disturbed = progress.clean < static_cast<std::int64_t>(least_clean);
        const double patience = disturbed ? most_overdraft : 1;
        return seen && progress.measuring_seconds >= patience * max_seconds_ ? StopReason::max_time
                                                                             : StopReason::go_on;
    }

private:
    double precision_;
    double max_seconds_;
};

}  // namespace

std::unique_ptr<Stopping> make_interval_stopping(double precision, double max_seconds) {
    return std::make_unique<Interval>(precision, max_seconds);
}

}  // namespace transrank::measure
