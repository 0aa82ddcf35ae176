// SPDX-License-Identifier: BSD-3-Clause
// One message each way in a step: with the partner whose number differs by the step's bits where
// the number of ranks is a power of two, else to a rank ahead and from one as far behind.
#include <bit>

#include "transrank/schedule/ring.hpp"
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

int steps(const Problem& problem) {
    return problem.ranks - 1;
}

int peer(const Problem& problem, int step, int rank, int direction) {
    if (std::has_single_bit(static_cast<unsigned>(problem.ranks))) {
        return rank ^ (step + 1);
    }
    return further(rank, direction * (step + 1), problem.ranks);
}

std::vector<int> targets(const Problem& problem, int step, int rank) {
    return {peer(problem, step, rank, 1)};
}

std::vector<int> sources(const Problem& problem, int step, int rank) {
    return {peer(problem, step, rank, -1)};
}

}  // namespace

Algorithm pairwise() {
    return {.name = "pairwise",
            .summary = "one message each way per step",
            .direct = true,
            .obstacle = no_obstacle,
            .steps = steps,
            .targets = targets,
            .sources = sources,
            .blocks = direct_block};
}

}  // namespace transrank::schedule
