// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/schedule/problem.hpp"

namespace transrank::schedule {

/// The data that `source` has for `target` in an alltoall; other ranks may forward it.
struct Block {
    int source;
    int target;
    friend bool operator==(const Block&, const Block&) = default;
};

/// One way to do an alltoall, in steps. Pure: the same answers everywhere for the same problem,
/// without communication. In a step a rank may send what it held before the step; whatever is sent
/// in a step is received in the step of the same number, so nobody waits for ever. A block of a
/// rank to itself is never sent.
struct Algorithm {
    std::string_view name;
    std::string_view summary;
    /// Every block goes from its source to its target at once, so no rank needs to know how long
    /// the blocks of others are.
    bool direct;
    /// How many steps there are; the same on every rank.
    int (*steps)(const Problem& problem);
    /// The ranks that `rank` sends to in a step (direction 1), or those that it receives from (-1),
    /// in the order in which it turns to them.
    std::vector<int> (*peers)(const Problem& problem, int step, int rank, int direction);
    /// The blocks that go from one rank to another in a step, in the order of the message.
    std::vector<Block> (*blocks)(const Problem& problem, int step, int from, int to);
    /// Why the problem cannot be served; empty when it can.
    std::string (*reason_against)(const Problem& problem) = [](const Problem& /*problem*/) {
        return std::string();
    };

    [[nodiscard]] std::vector<int> targets(const Problem& problem, int step, int rank) const {
        return peers(problem, step, rank, 1);
    }
    [[nodiscard]] std::vector<int> sources(const Problem& problem, int step, int rank) const {
        return peers(problem, step, rank, -1);
    }
};

[[nodiscard]] std::span<const Algorithm> all();

/// Throws std::invalid_argument listing the known names.
[[nodiscard]] const Algorithm& find(std::string_view name);

}  // namespace transrank::schedule
