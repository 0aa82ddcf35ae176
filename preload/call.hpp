// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

/// What the preloaded library tells the carrier of a call. MPI does it by the library's own means.
namespace transrank::carry {

enum class Kind : std::uint8_t { alltoall, alltoallv, alltoallw };

/// The arguments of one side. MPI_Alltoall has one count, type and no offsets; MPI_Alltoallw has
/// a type for each rank, and offsets in bytes.
struct Side {
    const void* base;
    const void* counts;
    const void* offsets;
    const MPI_Datatype* types;
};

struct Call {
    Kind kind;
    bool is_large;  ///< counts are of MPI_Count, offsets of MPI_Aint; else int
    Side sends;
    Side receives;
    MPI_Comm comm;

    [[nodiscard]] std::int64_t count(const Side& side, int rank) const {
        const int at = kind == Kind::alltoall ? 0 : rank;
        return is_large ? static_cast<const MPI_Count*>(side.counts)[at]
                        : static_cast<const int*>(side.counts)[at];
    }
    [[nodiscard]] std::int64_t offset(const Side& side, int rank) const {
        return kind == Kind::alltoall ? rank * count(side, rank)
               : is_large             ? static_cast<const MPI_Aint*>(side.offsets)[rank]
                                      : static_cast<const int*>(side.offsets)[rank];
    }
    [[nodiscard]] MPI_Datatype type(const Side& side, int rank) const {
        return side.types[kind == Kind::alltoallw ? rank : 0];
    }
};

/// The carrier's functions, by these names. `by_mpi(context)` has MPI do the call.
extern "C" {
int transrank_carry_call(const Call& call, int (*by_mpi)(const void*), const void* context);
void transrank_carry_print_summary();
}

}  // namespace transrank::carry
