// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/turns.hpp"

#include <algorithm>

#include "transrank/mpi/collectives.hpp"

namespace transrank::lab::measure {
namespace {

int turns_on(int node_size) {
    return std::min(node_size, most_turns_per_node);
}

}  // namespace

std::optional<int> turn_of(int node_rank, int node_size) {
    // Turn k is that of rank floor(k * node_size / turns).
    const int turns = turns_on(node_size);
    const int turn = ((node_rank * turns) + node_size - 1) / node_size;
    return turn < turns && turn * node_size / turns == node_rank ? std::optional(turn)
                                                                 : std::nullopt;
}

Turns share_turns(const mpi::Communicator& comm, const mpi::Communicator& node) {
    return {.count = mpi::reduced(comm, turns_on(node.size()), MPI_MAX),
            .own = turn_of(node.rank(), node.size())};
}

}  // namespace transrank::lab::measure
