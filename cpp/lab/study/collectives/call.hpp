// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

namespace transrank::lab::study::collectives {

/// What a call of a collective operation may be given; each operation takes what it needs.
struct Call {
    std::byte* send;
    std::byte* receive;
    int count;  ///< elements of one block
    MPI_Datatype datatype;
    const int* counts;         ///< of each rank's block: all equal to `count`
    const int* displacements;  ///< of each rank's block, in elements
    int rank;
    int root;
    MPI_Comm comm;
};

}  // namespace transrank::lab::study::collectives
