// SPDX-License-Identifier: BSD-3-Clause
// Question: what does access to another rank's memory cost, in each way that MPI completes it?
// Rank 0 accesses the window of rank 1, which takes part only where the synchronisation needs it.
//
// Timed on rank 0 from a barrier over a batch of epochs. An epoch completes `in_flight` operations:
// 1 is a latency (osu_put_latency), 64 a bandwidth and a message rate (osu_put_bw); the number is
// the time per operation. `flush`: MPI_Win_lock_all outside the clock, and MPI_Win_flush after the
// operations, as OSU by default. `fence`: one MPI_Win_fence behind the operations. `post`:
// MPI_Win_start and MPI_Win_complete on rank 0, MPI_Win_post and MPI_Win_wait on rank 1. `lock`:
// MPI_Win_lock (shared) and MPI_Win_unlock. Operations of an epoch lie one behind the other in the
// window, as OSU's. Accumulated are 64-bit integers, added up; MPI_Fetch_and_op and
// MPI_Compare_and_swap take one of them.
#include <algorithm>
#include <limits>

#include "lab/study/one_sided/operation.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::study::one_sided {
namespace {

constexpr std::string_view study_name = "one-sided";
constexpr std::string_view default_sizes = "1..4MiB";

std::vector<AxisChoice> axes() {
    return {{.name = "operation", .values = action_names(), .quick = {"put"}},
            {.name = "epoch", .values = epoch_names(), .quick = {"flush"}},
            {.name = "window", .values = {"allocated"}, .on_request = {"created", "shared"}},
            {.name = "in_flight",
             .values = {"1", "64"},
             .quick = {"1"},
             .on_request = {"2", "4", "8", "16", "32", "128", "256"},
             .numbers = true}};
}

std::string obstacle(const Action& action, std::int64_t bytes) {
    if (action.words && bytes % word_bytes != 0) {
        return text::format_size(bytes) + " is no multiple of the " +
               text::format_size(word_bytes) + " of a 64-bit integer";
    }
    if (bytes > std::numeric_limits<int>::max()) {
        return "an operation of this study moves at most 2^31 - 1 bytes";
    }
    return "";
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    std::vector<measure::Case> points;
    for (const auto& curve : combinations(study_name, selection, axes())) {
        const auto& action = find_action(curve.text("operation"));
        const auto in_flight = curve.number("in_flight");
        for (const auto bytes : sizes_of(selection, default_sizes)) {
            if (action.one_word
                    ? bytes != word_bytes
                    : action.words && selection.sizes.empty() && bytes % word_bytes != 0) {
                continue;
            }
            auto point = curve;
            point.axes.push_back({.name = "bytes", .value = bytes});
            point.group = curve.id();
            point.clocks = measure::Clocks::root;
            point.operations_per_repetition = static_cast<int>(in_flight);
            point.bytes_counted = static_cast<double>(bytes);
            point.send_bytes = in_flight * bytes;
            point.receive_bytes = in_flight * bytes;
            point.further_bytes = point.text("window") == "created" ? 0 : in_flight * bytes;
            point.skip_reason = obstacle(action, bytes);
            points.push_back(std::move(point));
        }
    }
    return points;
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary = "one rank accesses another's memory: put, get, accumulate, atomics (OSU)",
            .sizes = default_sizes,
            .quick_sizes = 1,
            .axes = axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = make_operation,
            .no_cache_modes = "the memory of a window is accessed as it is"};
}

}  // namespace transrank::lab::study::one_sided
