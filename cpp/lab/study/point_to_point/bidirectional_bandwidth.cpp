// SPDX-License-Identifier: BSD-3-Clause
// Question: how many bytes per second get through both ways at once? Two ranks each post a window
// of receives, then a window of sends (MPI_Irecv, MPI_Isend), and wait for all. Timed on rank 0
// from a barrier over a batch of windows; the number is the time per message and direction, bytes
// count twice, as in osu_bibw.
#include "lab/study/point_to_point/window.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "bidirectional-bandwidth";

class BothWays final : public WindowOperation {
public:
    using WindowOperation::WindowOperation;

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            post_receives(i);
            post_sends(i);
            complete();
        }
    }
};

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    return window_cases(study_name, selection, 2);
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    return std::make_unique<BothWays>(
        point, setting,
        WindowRole{.peers = {1 - setting.comm.rank()}, .sends = true, .receives = true});
}

}  // namespace

Study bidirectional_bandwidth() {
    return {.name = study_name,
            .summary = "many messages (a window) in both directions at once (osu_bibw)",
            .sizes = window_sizes,
            .axes = window_axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study
