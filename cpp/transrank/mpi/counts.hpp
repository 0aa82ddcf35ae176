// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

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

/// The most elements that a call can name whose counts are of type int on every MPI.
inline constexpr std::int64_t largest_int_count = std::numeric_limits<int>::max();

/// The most elements that one call can name which has a twin for 64 bits.
[[nodiscard]] inline std::int64_t largest_count() {
    return counts_in_64_bits() ? std::numeric_limits<std::int64_t>::max() : largest_int_count;
}

/// Calls `visit` with each piece of at most `longest` bytes; with none if there are no bytes.
template <class Byte, class Visit>
void in_pieces(std::span<Byte> bytes, std::int64_t longest, const Visit& visit) {
    const auto piece = static_cast<std::size_t>(std::max<std::int64_t>(longest, 1));
    for (std::size_t begin = 0; begin < bytes.size();
         begin += std::min(piece, bytes.size() - begin)) {
        visit(bytes.subspan(begin, std::min(piece, bytes.size() - begin)));
    }
}

}  // namespace transrank::mpi
