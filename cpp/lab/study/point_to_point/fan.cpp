// SPDX-License-Identifier: BSD-3-Clause
// Question: how many bytes per second does one rank get from many at once, or to many? `in`: each
// of the peers, ranks 1 and up, sends a window of 64 messages to rank 0, which answers each with
// one byte; `out`: rank 0 sends a window to each of them. Timed on rank 0 from a barrier over a
// batch of windows, as in osu_bw_fan_in and osu_bw_fan_out; the number is the time in which each
// peer has one message through, bytes count once per peer. Ranks beyond the peers wait in the next
// barrier.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "lab/study/point_to_point/window.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "fan";
constexpr std::string_view in = "in";
constexpr std::string_view out = "out";

std::vector<AxisChoice> axes() {
    return {{.name = "direction", .values = {std::string(in), std::string(out)}},
            count_axis("peers")};
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    const auto choices = axes();
    const auto counted = spread_counts(combinations(study_name, selection, {choices[0]}), selection,
                                       choices[1], std::max(ranks - 1, 1));
    auto points = spread_sizes(counted, selection, window_sizes);
    for (auto& point : points) {
        const auto peers = static_cast<int>(point.number("peers"));
        as_window(point, osu_window, selection.cache, peers);
        point.clocks = measure::Clocks::root;
        point.bytes_counted *= peers;
        if (peers >= ranks) {
            point.skip_reason = std::to_string(peers) + " peers need " + std::to_string(peers + 1) +
                                " ranks, the launch has " + std::to_string(ranks);
        }
    }
    return points;
}

WindowRole role(const measure::Case& point, int rank) {
    const auto peers = static_cast<std::size_t>(point.number("peers"));
    const bool inward = point.text("direction") == in;
    if (rank == 0) {
        WindowRole center{.peers = std::vector<int>(peers), .sends = !inward, .receives = inward};
        std::iota(center.peers.begin(), center.peers.end(), 1);
        return center;
    }
    return std::cmp_less_equal(rank, peers)
               ? WindowRole{.peers = {0}, .sends = inward, .receives = !inward}
               : WindowRole{};
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    return std::make_unique<AnsweredWindows>(point, setting, role(point, setting.comm.rank()));
}

}  // namespace

Study fan() {
    return {.name = study_name,
            .summary =
                "many messages from several ranks to one, or from one to several (osu_bw_fan_in, "
                "osu_bw_fan_out)",
            .sizes = window_sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = prepare,
            .surveyed = false};
}

}  // namespace transrank::lab::study
