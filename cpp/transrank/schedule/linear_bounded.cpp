// SPDX-License-Identifier: BSD-3-Clause
// At most `window` peers at once: what Open MPI calls linear_sync and MPICH scattered.
#include <algorithm>

#include "transrank/schedule/ring.hpp"
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

int steps(const Problem& problem) {
    return (problem.ranks - 1) / problem.window +
           ((problem.ranks - 1) % problem.window > 0 ? 1 : 0);
}

std::vector<int> peers(const Problem& problem, int step, int rank, int direction) {
    std::vector<int> found;
    const int begin = (step * problem.window) + 1;
    const int end = problem.ranks - begin < problem.window ? problem.ranks : begin + problem.window;
    for (int ahead = begin; ahead < end; ++ahead) {
        found.push_back(further(rank, direction * ahead, problem.ranks));
    }
    return found;
}

std::vector<int> targets(const Problem& problem, int step, int rank) {
    return peers(problem, step, rank, 1);
}

std::vector<int> sources(const Problem& problem, int step, int rank) {
    return peers(problem, step, rank, -1);
}

}  // namespace

Algorithm linear_bounded() {
    return {.name = "linear-bounded",
            .summary = "messages with a bounded number of peers at once",
            .direct = true,
            .obstacle = no_obstacle,
            .steps = steps,
            .targets = targets,
            .sources = sources,
            .blocks = direct_block};
}

}  // namespace transrank::schedule
