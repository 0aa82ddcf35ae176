// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/schedule/ring.hpp"
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

std::string obstacle(const Problem& problem) {
    return problem.ranks <= 2 ? "" : "only for 1 or 2 ranks";
}

int steps(const Problem& problem) {
    return problem.ranks - 1;
}

std::vector<int> other(const Problem& /*problem*/, int /*step*/, int rank) {
    return {1 - rank};
}

}  // namespace

Algorithm two_process() {
    return {.name = "two-process",
            .summary = "two ranks swap their blocks",
            .direct = true,
            .obstacle = obstacle,
            .steps = steps,
            .targets = other,
            .sources = other,
            .blocks = direct_block};
}

}  // namespace transrank::schedule
