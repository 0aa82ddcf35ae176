// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

#if MPI_VERSION >= 4
// What is compiled with MPI 4 also runs on older libraries of the same binary interface, where the
// addresses of these are null.
#pragma weak MPI_Alltoall_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Ialltoall_c
#pragma weak MPI_Ialltoallv_c
#pragma weak MPI_Recv_init_c
#pragma weak MPI_Send_init_c
#endif

namespace transrank::mpi {

/// Whether this MPI counts in 64 bits: from MPI 4 on, by the functions whose names end in _c.
[[nodiscard]] inline bool counts_in_64_bits() {
#if MPI_VERSION >= 4
    return MPI_Send_init_c != nullptr;
#else
    return false;
#endif
}

/// The most elements that one call can name.
[[nodiscard]] inline std::int64_t largest_count() {
    return counts_in_64_bits() ? std::numeric_limits<std::int64_t>::max()
                               : std::numeric_limits<int>::max();
}

}  // namespace transrank::mpi
