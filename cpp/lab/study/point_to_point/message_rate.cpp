// SPDX-License-Identifier: BSD-3-Clause
// Question: how many messages per second do several pairs of ranks exchange at once? Rank i of the
// first half sends windows of 64 messages to rank i of the second half, which answers each with one
// byte. Timed from a barrier over a batch of windows; the number is the slowest rank's time per
// message of one pair (osu_mbw_mr takes the mean over pairs). Bytes count once per pair: messages
// per second are pairs / seconds. With fewer pairs than halves have ranks, the others wait in the
// next barrier.
#include "lab/study/point_to_point/pairs.hpp"
#include "lab/study/point_to_point/window.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "message-rate";

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    return pair_cases(study_name, selection, ranks, window_sizes,
                      [&](measure::Case& point) { as_window(point, osu_window, selection.cache); });
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const int peer = partner_of(point, setting.comm);
    if (peer == MPI_PROC_NULL) {
        return std::make_unique<AnsweredWindows>(point, setting, WindowRole{});
    }
    const bool sends = setting.comm.rank() < peer;
    return std::make_unique<AnsweredWindows>(
        point, setting, WindowRole{.peers = {peer}, .sends = sends, .receives = !sends});
}

}  // namespace

Study message_rate() {
    return {.name = study_name,
            .summary =
                "many messages (a window) from one rank to another, in several pairs at once "
                "(osu_mbw_mr)",
            .sizes = window_sizes,
            .axes = [] { return std::vector{pairs_axis()}; },
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study
