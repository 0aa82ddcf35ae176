// SPDX-License-Identifier: BSD-3-Clause
// Question: how many messages per second do several pairs of ranks exchange at once? Rank i of the
// first half sends windows of 64 messages to rank i of the second half, which answers each with one
// byte. Timed from a barrier over a batch of windows; the number is the slowest rank's time per
// message of one pair (osu_mbw_mr takes the mean over pairs). Bytes count once per pair: messages
// per second are pairs / seconds. With fewer pairs than halves have ranks, the others wait in the
// next barrier.
#include <algorithm>

#include "lab/study/table.hpp"
#include "lab/study/window.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "message-rate";
constexpr std::string_view all_pairs = "all";
constexpr std::int64_t most_pairs = 1 << 20;

std::vector<AxisChoice> axes() {
    return {{.name = "pairs",
             .values = {std::string(all_pairs)},
             .open = whole_numbers(1, most_pairs)}};
}

// In the order asked for; `all` and its number are one case.
std::vector<int> pair_counts(const Selection& selection, int ranks) {
    std::vector<int> counts;
    for (const auto& value : values_of(selection, axes().front())) {
        const int count = value == all_pairs ? std::max(ranks / 2, 1) : std::stoi(value);
        if (std::ranges::find(counts, count) == counts.end()) {
            counts.push_back(count);
        }
    }
    return counts;
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    for (const int pairs : pair_counts(selection, ranks)) {
        for (const auto bytes : sizes_of(selection, window_sizes)) {
            auto point = window_case(study_name, osu_window, bytes, selection.cache);
            point.axes = {{.name = "pairs", .value = std::int64_t{pairs}},
                          {.name = "bytes", .value = bytes}};
            point.bytes_counted *= pairs;
            if (2 * pairs > ranks) {
                point.skip_reason = std::to_string(pairs) + " pairs need " +
                                    std::to_string(2 * pairs) + " ranks, the launch has " +
                                    std::to_string(ranks);
            }
            points.push_back(std::move(point));
        }
    }
    return points;
}

WindowRole role(int rank, int half, int pairs) {
    const int index = rank % half;
    if (rank >= 2 * half || index >= pairs) {
        return {.peer = MPI_PROC_NULL, .sends = false, .receives = false};
    }
    return rank < half ? WindowRole{.peer = rank + half, .sends = true, .receives = false}
                       : WindowRole{.peer = rank - half, .sends = false, .receives = true};
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto pairs = static_cast<int>(point.number("pairs"));
    return std::make_unique<AnsweredWindows>(
        point, setting, role(setting.comm.rank(), setting.comm.size() / 2, pairs));
}

}  // namespace

Study message_rate() {
    return {.name = study_name,
            .summary = "windows of messages between several pairs of ranks at once (osu_mbw_mr)",
            .sizes = window_sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study
