// SPDX-License-Identifier: BSD-3-Clause
// Everything is posted at once, beginning with the next rank, so that not all ranks turn to rank 0
// first.
#include <algorithm>

#include "transrank/schedule/ring.hpp"
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

int steps(const Problem& problem) {
    return problem.ranks > 1 ? 1 : 0;
}

std::vector<int> targets(const Problem& problem, int /*step*/, int rank) {
    std::vector<int> peers;
    for (int ahead = 1; ahead < problem.ranks; ++ahead) {
        peers.push_back(further(rank, ahead, problem.ranks));
    }
    return peers;
}

std::vector<int> sources(const Problem& problem, int step, int rank) {
    auto peers = targets(problem, step, rank);
    std::ranges::reverse(peers);
    return peers;
}

}  // namespace

Algorithm linear() {
    return {.name = "linear",
            .summary = "all messages at once",
            .direct = true,
            .obstacle = no_obstacle,
            .steps = steps,
            .targets = targets,
            .sources = sources,
            .blocks = direct_block};
}

}  // namespace transrank::schedule
