// SPDX-License-Identifier: BSD-3-Clause
// Bruck et al., Efficient algorithms for all-to-all communications in multiport message-passing
// systems, IEEE TPDS 8 (1997). A block travels the distance from its source to its target digit by
// digit, in the given radix, least digit first: few messages, but a block is sent once for each
// digit that is not zero. Modified in that blocks are not rotated before and after: each is picked
// from where it lies.
#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

int steps(const Problem& problem) {
    int count = 0;
    for (long long power = 1; power < problem.ranks; power *= problem.radix) {
        ++count;
    }
    return count;
}

int power(const Problem& problem, int step) {
    int value = 1;
    for (int i = 0; i < step; ++i) {
        value *= problem.radix;
    }
    return value;
}

std::vector<int> peers(const Problem& problem, int step, int rank, int direction) {
    std::vector<int> found;
    const long long unit = power(problem, step);
    for (long long ahead = unit; ahead < problem.ranks && ahead < unit * problem.radix;
         ahead += unit) {
        found.push_back(further(rank, direction * static_cast<int>(ahead), problem.ranks));
    }
    return found;
}

// Those with this digit in their distance; the lower digits have been travelled already.
std::vector<Block> blocks(const Problem& problem, int step, int from, int to) {
    const long long unit = power(problem, step);
    const long long first = distance(from, to, problem.ranks);
    std::vector<Block> found;
    for (long long high = first; high < problem.ranks; high += unit * problem.radix) {
        for (long long way = high; way < problem.ranks && way < high + unit; ++way) {
            const int source = further(from, -static_cast<int>(way % unit), problem.ranks);
            found.push_back({.source = source,
                             .target = further(source, static_cast<int>(way), problem.ranks)});
        }
    }
    return found;
}

}  // namespace

Algorithm bruck() {
    return {.name = "bruck",
            .summary = "blocks forwarded digit by digit of their distance: few messages",
            .direct = false,
            .steps = steps,
            .peers = peers,
            .blocks = blocks};
}

}  // namespace transrank::schedule
