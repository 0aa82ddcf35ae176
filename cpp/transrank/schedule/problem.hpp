// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace transrank::schedule {

/// How many ranks exchange blocks, where they are, and the free choices of the algorithms.
struct Problem {
    int ranks = 1;
    /// Consecutive ranks share a node; the last node may have fewer.
    int ranks_per_node = 1;
    /// Lengths of the torus or mesh that the ranks fill, their first coordinate varying fastest.
    /// Empty: whatever factors of `ranks` are nearest to each other.
    std::vector<int> torus = {};  // NOLINT(readability-redundant-member-init)
    int radix = 2;                ///< of Bruck's algorithm: one step for each digit of a distance
    int window = 8;               ///< of linear-bounded: how many peers at once
    int leaders = 2;              ///< of node-leaders: how many ranks of a node talk to other nodes
};

/// Throws std::invalid_argument naming the values that make no sense.
void check(const Problem& problem);

/// `factors` numbers whose product is `ranks`, as near to each other as possible, descending.
[[nodiscard]] std::vector<int> balanced_factors(int ranks, int factors);

}  // namespace transrank::schedule
