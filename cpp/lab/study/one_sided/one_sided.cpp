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

/// Words are what some operations work on, and both ways only puts are measured. Sizes that are no
/// whole number of words are left out unless they are `asked_for`.
bool exists(const measure::Case& point, bool asked_for) {
    const auto& action = find_action(point.text("operation"));
    const auto& word = word_of(point);
    const auto bytes = point.number("bytes");
    return (action.words || &word == words().data()) &&
           (action.name == "put" || point.text("direction", one_way) == one_way) &&
           (action.one_word ? bytes == word.bytes
                            : !action.words || asked_for || bytes % word.bytes == 0);
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
    auto curves = combinations(study_name, selection, axes());
    for (auto& curve : curves) {
        curve.group = curve.id();
    }
    auto points = spread_sizes(curves, selection, default_sizes);
    std::erase_if(points, [&](const measure::Case& point) {
        return !exists(point, !selection.sizes.empty());
    });
    for (auto& point : points) {
        const auto bytes = point.number("bytes");
        const auto in_flight = point.number("in_flight");
        const auto& window = point.text("window");
        const bool over_workspace = window == "created" || window == "dynamic";
        const int directions = point.text("direction", one_way) == both_ways ? 2 : 1;
        point.clocks = measure::Clocks::root;
        point.operations_per_repetition = static_cast<int>(in_flight);
        point.bytes_counted = static_cast<double>(directions * bytes);
        point.send_bytes = in_flight * bytes;
        point.receive_bytes = in_flight * bytes;
        point.further_bytes = over_workspace ? 0 : in_flight * bytes;
        point.skip_reason =
            reason_against(find_action(point.text("operation")), word_of(point), bytes);
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
