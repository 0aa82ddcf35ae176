// SPDX-License-Identifier: BSD-3-Clause
// Question: how long does a message take while other pairs of ranks exchange theirs? Ping-pongs of
// several pairs at once. Timed from a barrier over a batch of round trips; the number is half a
// round trip of the slowest pair (osu_multi_lat takes the mean over pairs). Bytes count once per
// pair. With fewer pairs than halves have ranks, the others wait in the next barrier.
#include "lab/study/point_to_point/pairs.hpp"
#include "lab/study/point_to_point/round_trips.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "multi-pingpong";

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    return pair_cases(study_name, selection, ranks, message_sizes, [](measure::Case& point) {
        as_message(point);
        point.operations_per_repetition = 2;
    });
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    return std::make_unique<PingPong>(point, setting, partner_of(point, setting.comm));
}

}  // namespace

Study multi_pingpong() {
    return {.name = study_name,
            .summary =
                "ping-pongs of several pairs of ranks at once: half a round trip (osu_multi_lat)",
            .sizes = message_sizes,
            .axes = [] { return std::vector{pairs_axis()}; },
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = prepare,
            .surveyed = false};
}

}  // namespace transrank::lab::study
