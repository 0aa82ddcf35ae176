// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that send each block straight to its target. They differ in how many peers a rank
// turns to in a step, and in which order.
#include <bit>

#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

template <auto Steps, auto Peers>
Algorithm direct(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .direct = true,
            .steps = Steps,
            .peers = Peers,
            .blocks = [](const Problem& /*problem*/, int /*step*/, int from, int to) {
                return std::vector<Block>{{.source = from, .target = to}};
            }};
}

// Not beginning with rank 0, to which all ranks would turn first.
std::vector<int> peers_within(int begin, int end, int ranks, int rank, int direction) {
    std::vector<int> found;
    for (int ahead = begin; ahead < end; ++ahead) {
        found.push_back(further(rank, direction * ahead, ranks));
    }
    return found;
}

int one_step(const Problem& problem) {
    return problem.ranks > 1 ? 1 : 0;
}

std::vector<int> all_peers(const Problem& problem, int /*step*/, int rank, int direction) {
    return peers_within(1, problem.ranks, problem.ranks, rank, direction);
}

// At most `window` peers at once: what Open MPI calls linear_sync and MPICH scattered.
int steps_of_windows(const Problem& problem) {
    return (problem.ranks - 1) / problem.window +
           ((problem.ranks - 1) % problem.window > 0 ? 1 : 0);
}

std::vector<int> peers_of_window(const Problem& problem, int step, int rank, int direction) {
    const int begin = (step * problem.window) + 1;
    const int end = problem.ranks - begin < problem.window ? problem.ranks : begin + problem.window;
    return peers_within(begin, end, problem.ranks, rank, direction);
}

// One message each way in a step: with the partner whose number differs by the step's bits where
// the number of ranks is a power of two, else to a rank ahead and from one as far behind.
int steps_of_pairs(const Problem& problem) {
    return problem.ranks - 1;
}

std::vector<int> peer_of_pair(const Problem& problem, int step, int rank, int direction) {
    if (std::has_single_bit(static_cast<unsigned>(problem.ranks))) {
        return {rank ^ (step + 1)};
    }
    return {further(rank, direction * (step + 1), problem.ranks)};
}

// In each step one message ahead and one as far behind: both directions of the links are in use.
// The vendor whose `doublespread` it is named after does not publish its own; this is what the name
// says.
int steps_of_spread(const Problem& problem) {
    return problem.ranks / 2;
}

std::vector<int> peers_of_spread(const Problem& problem, int step, int rank, int direction) {
    const int ahead = step + 1;
    if (2 * ahead == problem.ranks) {
        return {further(rank, ahead, problem.ranks)};
    }
    return {further(rank, direction * ahead, problem.ranks),
            further(rank, -direction * ahead, problem.ranks)};
}

}  // namespace

Algorithm linear() {
    return direct<one_step, all_peers>("linear", "all messages at once");
}

Algorithm linear_bounded() {
    return direct<steps_of_windows, peers_of_window>(
        "linear-bounded", "messages with a bounded number of peers at once");
}

Algorithm pairwise() {
    return direct<steps_of_pairs, peer_of_pair>("pairwise", "one message each way per step");
}

Algorithm double_spread() {
    return direct<steps_of_spread, peers_of_spread>("double-spread",
                                                    "one message ahead and one behind per step");
}

Algorithm two_process() {
    auto algorithm =
        direct<steps_of_pairs, peer_of_pair>("two-process", "two ranks swap their blocks");
    algorithm.reason_against = [](const Problem& problem) -> std::string {
        return problem.ranks <= 2 ? "" : "only for 1 or 2 ranks";
    };
    return algorithm;
}

}  // namespace transrank::schedule
