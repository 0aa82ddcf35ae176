// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::carry {

/// Where the bytes of one element of a datatype lie, in the order of its type map.
struct Datatype {
    std::vector<route::Segment> pieces;  ///< in bytes: in memory, and one after the other
    std::int64_t bytes = 0;
    std::int64_t extent = 0;
};

/// The layout of a datatype, kept with it as an attribute; nullptr where it is not followed: its
/// constructor is rare, or it has more than some ten thousand pieces.
[[nodiscard]] const Datatype* layout_of(MPI_Datatype datatype);

}  // namespace transrank::carry
