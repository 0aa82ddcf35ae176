// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// This many ranks of a node measure one after another; where it has more, they stand for all.
inline constexpr int most_turns_per_node = 8;

/// Who measures when, where ranks measure one after another: in each turn one rank of every node.
struct Turns {
    int count = 0;           ///< the same on all ranks
    std::optional<int> own;  ///< none: this rank only waits
};

/// The turn of the rank `node_rank` out of `node_size` on a node: every rank has one where there
/// are no more than most_turns_per_node, else that many ranks at equal distances, the first among
/// them.
[[nodiscard]] std::optional<int> turn_of(int node_rank, int node_size);

/// Collective over `comm`. `node`: the ranks of `comm` on this node.
[[nodiscard]] Turns share_turns(const mpi::Communicator& comm, const mpi::Communicator& node);

}  // namespace transrank::lab::measure
