// SPDX-License-Identifier: BSD-3-Clause
// In each step one message ahead and one as far behind: both directions of the links are in use.
// The vendor whose `doublespread` it is named after does not publish its own; this is what the name
// says.
#include "transrank/schedule/ring.hpp"
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

int steps(const Problem& problem) {
    return problem.ranks / 2;
}

std::vector<int> peers(const Problem& problem, int step, int rank, int direction) {
    const int ahead = step + 1;
    if (2 * ahead == problem.ranks) {
        return {further(rank, ahead, problem.ranks)};
    }
    return {further(rank, direction * ahead, problem.ranks),
            further(rank, -direction * ahead, problem.ranks)};
}

std::vector<int> targets(const Problem& problem, int step, int rank) {
    return peers(problem, step, rank, 1);
}

std::vector<int> sources(const Problem& problem, int step, int rank) {
    return peers(problem, step, rank, -1);
}

}  // namespace

Algorithm double_spread() {
    return {.name = "double-spread",
            .summary = "one message ahead and one behind per step",
            .direct = true,
            .obstacle = no_obstacle,
            .steps = steps,
            .targets = targets,
            .sources = sources,
            .blocks = direct_block};
}

}  // namespace transrank::schedule
