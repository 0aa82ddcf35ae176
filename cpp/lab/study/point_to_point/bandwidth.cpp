// SPDX-License-Identifier: BSD-3-Clause
// Question: how many bytes per second get from one rank to another? Rank 0 sends a window of
// messages at once (MPI_Isend), rank 1 has posted as many receives and answers the window with one
// byte. Timed on rank 0 from a barrier over a batch of windows; the number is the time per message,
// bytes count once, as in osu_bw.
#include "lab/study/point_to_point/window.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "bandwidth";

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    return window_cases(study_name, selection, 1);
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const int rank = setting.comm.rank();
    return std::make_unique<AnsweredWindows>(
        point, setting, WindowRole{.peers = {1 - rank}, .sends = rank == 0, .receives = rank == 1});
}

}  // namespace

Study bandwidth() {
    return {.name = study_name,
            .summary = "many messages (a window) in one direction, then a short reply (osu_bw)",
            .sizes = window_sizes,
            .axes = window_axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study
