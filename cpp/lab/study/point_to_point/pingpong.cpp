// SPDX-License-Identifier: BSD-3-Clause
// Question: how long does a message take? Rank 0 sends to rank 1, which answers with as many bytes.
// Timed on rank 0 from a barrier over a batch of round trips; the number is half a round trip, as
// in IMB PingPong and osu_latency. Bytes count once. Receives name the source and the tag, or on
// request any.
#include "lab/study/point_to_point/round_trips.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "pingpong";

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    const auto adjust = [](measure::Case& point) {
        point.clocks = measure::Clocks::root;
        point.operations_per_repetition = 2;
    };
    return message_cases(study_name, selection, adjust, {match_axis()});
}

}  // namespace

Study pingpong() {
    return {.name = study_name,
            .summary = "half a round trip between two ranks (IMB PingPong, osu_latency)",
            .sizes = message_sizes,
            .axes = [] { return std::vector{match_axis()}; },
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = make<PingPong>};
}

}  // namespace transrank::lab::study
