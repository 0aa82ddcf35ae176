// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to exchange a block with each neighbor, as solvers do in every step?
// By MPI's neighborhood collectives in each form, by messages, and by transrank's Exchange along a
// route of the same blocks.
//
// Timed like the study `collectives`: a common start before each call, which is not timed; the
// number is the slowest rank's. `bytes` is the block that a rank sends to one neighbor (in the
// allgathers the same one to all); bytes count once for each neighbor of rank 0. Graphs are
// symmetric, and who is a neighbor twice, as on a ring of two ranks, counts once. The graph's
// communicator, requests and the binding of an Exchange are made outside the clock.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "lab/study/collectives/operation.hpp"
#include "lab/study/named.hpp"
#include "lab/study/neighborhood/operation.hpp"
#include "lab/study/neighborhood/topology.hpp"
#include "lab/study/table.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

constexpr std::string_view study_name = "neighborhood";
constexpr std::string_view default_sizes = "8..4MiB:x8";

std::vector<AxisChoice> axes() {
    return {{.name = "topology", .values = names_of(topologies())},
            {.name = "operation", .values = names_of(ways())},
            {.name = "form",
             .values = {std::string(collectives::blocking_form),
                        std::string(collectives::nonblocking_form),
                        std::string(collectives::persistent_form)}}};
}

/// Neighbors of rank 0, and of the rank that has most.
struct Degrees {
    std::int64_t first;
    std::int64_t most;
};

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::map<std::string, Degrees> known;
    auto points =
        spread_sizes(combinations(study_name, selection, axes()), selection, default_sizes);
    std::erase_if(points, [](const measure::Case& point) {
        return !find_way(point.text("operation")).has(point.text("form"));
    });
    for (auto& point : points) {
        const auto& way = find_way(point.text("operation"));
        const auto& topology = point.text("topology");
        if (!known.contains(topology)) {
            known[topology] = {.first = std::ssize(neighbors(topology, 0, ranks)),
                               .most = most_neighbors(topology, ranks)};
        }
        const auto [first, most] = known[topology];
        const auto bytes = point.number("bytes");
        point.group = std::string(study_name) + "/" + topology;
        point.timing = measure::TimingKind::single;
        point.bytes_counted = static_cast<double>(bytes * first);
        point.send_bytes = bytes * (way.gathers ? 1 : most);
        point.receive_bytes = bytes * most;
        if (way.shares_arrays) {
            point.further_bytes =
                std::exchange(point.send_bytes, 0) + std::exchange(point.receive_bytes, 0);
        }
        point.skip_reason = way.reason_against(point.text("form"));
        if (bytes * most > std::numeric_limits<int>::max()) {
            point.skip_reason = "blocks of all neighbors end at 2^31 - 1 bytes";
        }
    }
    return points;
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "a block to and from each neighbor: by MPI's collectives, messages, or "
                "transrank's Exchange",
            .sizes = default_sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = make_operation,
            .surveyed = false};
}

}  // namespace transrank::lab::study::neighborhood
