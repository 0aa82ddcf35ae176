// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

/// MPI_COMM_WORLD as Fortran knows it.
void describe_world(int* comm, int* rank, int* ranks);

void describe_world(int* comm, int* rank, int* ranks) {
    *comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
}
