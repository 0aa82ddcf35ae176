// SPDX-License-Identifier: BSD-3-Clause
// Question: what does access to another rank's memory cost, in each way that MPI completes it?
// Rank 0 accesses the window of rank 1, which takes part only where the synchronisation needs it;
// with `both-ways` each puts into the window of the other at once (osu_put_bibw), and bytes count
// twice.
//
// Timed on rank 0 from a barrier over a batch of epochs. An epoch completes `in_flight` operations:
// 1 is a latency (osu_put_latency), 64 a bandwidth and a message rate (osu_put_bw); the number is
// the time per operation. `flush`: MPI_Win_lock_all outside the clock, and MPI_Win_flush after the
// operations, as OSU by default. `fence`: one MPI_Win_fence behind the operations. `post`:
// MPI_Win_start and MPI_Win_complete on rank 0, MPI_Win_post and MPI_Win_wait on rank 1. `lock`:
// MPI_Win_lock (shared) and MPI_Win_unlock. On request `flush-local`: MPI_Win_flush_local, after
// which the origin's buffers may be used again; and `lock-all`: MPI_Win_lock_all and
// MPI_Win_unlock_all in each epoch. Operations of an epoch lie one behind the other in the window,
// as OSU's. Accumulated are 64-bit integers, or on request smaller ones, added up; MPI_Fetch_and_op
// and MPI_Compare_and_swap take one of them.
#include <algorithm>
#include <limits>

#include "lab/study/one_sided/operation.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::study::one_sided {
namespace {

constexpr std::string_view study_name = "one-sided";
constexpr std::string_view default_sizes = "1..4MiB";

/// The epochs of MPI that programs choose between; further ones on request.
constexpr std::ptrdiff_t usual_epochs = 4;

std::vector<AxisChoice> axes() {
    auto epochs = epoch_names();
    std::vector<std::string> further(epochs.begin() + usual_epochs, epochs.end());
    epochs.resize(usual_epochs);
    AxisChoice word{
        .name = "word", .values = {std::string(words().front().name)}, .implied = words()[0].name};
    for (const auto& each : words().subspan(1)) {
        word.on_request.emplace_back(each.name);
    }
    return {
        {.name = "operation", .values = action_names(), .quick = {"put"}},
        {.name = "epoch",
         .values = std::move(epochs),
         .quick = {"flush"},
         .on_request = std::move(further)},
        {.name = "window", .values = {"allocated"}, .on_request = {"created", "shared", "dynamic"}},
        {.name = "in_flight",
         .values = {"1", "64"},
         .quick = {"1"},
         .on_request = {"2", "4", "8", "16", "32", "128", "256"},
         .numbers = true},
        std::move(word),
        {.name = "direction",
         .values = {std::string(one_way)},
         .on_request = {std::string(both_ways)},
         .implied = one_way}};
}

/// Words are what some operations work on, and both ways only puts are measured.
bool exists(const measure::Case& point, const Action& action) {
    const auto& usual = words().front().name;
    return (action.words || point.text("word", usual) == usual) &&
           (action.name == "put" || point.text("direction", one_way) == one_way);
}

std::string reason_against(const Action& action, const Word& word, std::int64_t bytes) {
    if (action.words && bytes % word.bytes != 0) {
        return text::format_size(bytes) + " is no multiple of the " +
               text::format_size(word.bytes) + " of a " + std::to_string(8 * word.bytes) +
               "-bit integer";
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
        if (!exists(curve, action)) {
            continue;
        }
        const auto& word = find_word(curve.text("word", words().front().name));
        const auto in_flight = curve.number("in_flight");
        const auto& window = curve.text("window");
        const bool over_workspace = window == "created" || window == "dynamic";
        const int directions = curve.text("direction", one_way) == both_ways ? 2 : 1;
        for (const auto bytes : sizes_of(selection, default_sizes)) {
            if (action.one_word
                    ? bytes != word.bytes
                    : action.words && selection.sizes.empty() && bytes % word.bytes != 0) {
                continue;
            }
            auto point = curve;
            point.axes.push_back({.name = "bytes", .value = bytes});
            point.group = curve.id();
            point.clocks = measure::Clocks::root;
            point.operations_per_repetition = static_cast<int>(in_flight);
            point.bytes_counted = static_cast<double>(directions * bytes);
            point.send_bytes = in_flight * bytes;
            point.receive_bytes = in_flight * bytes;
            point.further_bytes = over_workspace ? 0 : in_flight * bytes;
            point.skip_reason = reason_against(action, word, bytes);
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
