// SPDX-License-Identifier: BSD-3-Clause
// Question: how much of an operation does computation hide? The operation is begun, the ranks
// compute, and it is completed.
//
// Of each operation there are three cases: `alone` (begun and completed at once), `computation`
// alone, and `together` (the computation between beginning and completion). The computation is the
// same arithmetic in registers in both, as long as the operation alone takes on the slowest rank,
// found in each launch anew. Hidden is (alone + computation - together) / alone, as in OSU's and
// IMB's tests of non-blocking collectives, where the computation is as long as the communication.
// Timed like the study `collectives`: a common start before each, which is not timed; the number is
// the slowest rank's. Nobody calls MPI_Test in between, as OSU by default.
//
// `message`: each rank sends to the next and receives from the one before. `exchange`: the same by
// transrank's Exchange, bound once. `neighbor_alltoall` and the like: among the neighbors on a
// ring.
#include <algorithm>
#include <functional>

#include "lab/study/collectives/collective.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/neighborhood/operation.hpp"
#include "lab/study/overlap/operation.hpp"
#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"

namespace transrank::lab::study::overlap {
namespace {

constexpr std::string_view study_name = "overlap";
constexpr std::string_view default_sizes = "4KiB..4MiB:x4";

std::vector<AxisChoice> axes() {
    AxisChoice operations{.name = "operation",
                          .values = {std::string(message), std::string(exchange), "allreduce",
                                     "allgather", "alltoall", "bcast"},
                          .quick = {"allreduce"}};
    for (const auto& row : collectives::all()) {
        const std::string name(row.name);
        if (row.flow.moves() &&
            std::ranges::find(operations.values, name) == operations.values.end()) {
            operations.on_request.push_back(name);
        }
    }
    for (const auto& way : neighborhood::ways()) {
        if (way.by_collective) {
            operations.on_request.emplace_back(way.name);
        }
    }
    return {std::move(operations),
            {.name = "form",
             .values = {std::string(collectives::nonblocking_form),
                        std::string(collectives::persistent_form)},
             .quick = {std::string(collectives::nonblocking_form)}},
            {.name = "part",
             .values = {std::string(alone), std::string(computation), std::string(together)}}};
}

// What is bound once is persistent.
bool exists(const measure::Case& point) {
    return point.text("operation") != exchange ||
           point.text("form") == collectives::persistent_form;
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points =
        spread_sizes(combinations(study_name, selection, axes()), selection, default_sizes);
    std::erase_if(points, std::not_fn(exists));
    for (auto& point : points) {
        auto whole = moved(point, ranks);
        whole.study = study_name;
        whole.axes = std::move(point.axes);
        point = std::move(whole);
        point.group = std::string(study_name) + "/" + point.text("operation");
        point.timing = measure::TimingKind::single;
    }
    return points;
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "time of communication alone, of computation alone, and of both overlapped "
                "(IMB-NBC, OSU)",
            .sizes = default_sizes,
            .quick_sizes = 1,
            .axes = axes,
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = make_operation};
}

}  // namespace transrank::lab::study::overlap
