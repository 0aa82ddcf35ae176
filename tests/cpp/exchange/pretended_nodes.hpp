// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "world.hpp"

// Through MPI's profiling interface, which lets a program put its own function in place of MPI's:
// the ranks of this machine can be told that they are on several nodes. Weak, as several files of
// an executable include it.
namespace testing {

inline int pretended_ranks_per_node = 0;  // 0: the truth

/// Pretends for as long as it lives. Collective: what is known of a communicator is kept with it,
/// so `all_ranks` is another one meanwhile.
class PretendedNodes {
public:
    explicit PretendedNodes(int ranks_per_node) {
        pretended_ranks_per_node = ranks_per_node;
        MPI_Comm_dup(MPI_COMM_WORLD, &all_ranks);
    }
    PretendedNodes(const PretendedNodes&) = delete;
    PretendedNodes& operator=(const PretendedNodes&) = delete;
    ~PretendedNodes() {
        pretended_ranks_per_node = 0;
        MPI_Comm_free(&all_ranks);
        all_ranks = MPI_COMM_WORLD;
    }
};

}  // namespace testing

extern "C" [[gnu::weak]] int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                 MPI_Comm* made) {
    if (testing::pretended_ranks_per_node == 0 || type != MPI_COMM_TYPE_SHARED) {
        return PMPI_Comm_split_type(comm, type, key, info, made);
    }
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, rank / testing::pretended_ranks_per_node, key, made);
}
