// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

/// This rank of MPI_COMM_WORLD. To be made after MPI_Init.
struct World {
    int rank = 0;
    int size = 1;
    World() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
};
