// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the MPI library: MPI_Barrier returns at once. For programs whose messages alone
// keep their ranks together.
#include <mpi.h>

int MPI_Barrier(MPI_Comm /*communicator*/) {
    return MPI_SUCCESS;
}
