// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/schedule/algorithm.hpp"

namespace transrank::lab::study::alltoall_algorithms {

/// What an algorithm asks of a torus, one rank per node, counted in messages and blocks. Messages
/// take the shortest way, one dimension after the other; where both directions are as short, even
/// coordinates go up and odd ones down. Each node has a link up and a link down in each dimension.
struct Traffic {
    int steps = 0;
    std::int64_t messages = 0;
    std::int64_t blocks = 0;        ///< sent, counted again each time that they are forwarded
    std::int64_t block_hops = 0;    ///< links that they pass, all together
    std::int64_t busiest_link = 0;  ///< blocks through the link that most pass through

    /// Sums over the steps of the largest value in each: what it takes if steps do not overlap.
    std::int64_t messages_in_turn = 0;  ///< sent by one rank
    std::int64_t hops_in_turn = 0;      ///< on the way of one message
    std::int64_t blocks_in_turn = 0;    ///< through one link
};

/// The ranks fill the torus `lengths` in order, the first coordinate varying fastest. Throws
/// std::invalid_argument when they are not as many as it has nodes.
[[nodiscard]] Traffic count_traffic(const schedule::Algorithm& algorithm,
                                    const schedule::Problem& problem,
                                    const std::vector<int>& lengths);

}  // namespace transrank::lab::study::alltoall_algorithms
