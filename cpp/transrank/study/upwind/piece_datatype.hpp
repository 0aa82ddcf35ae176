// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/mpi/datatype.hpp"
#include "transrank/route/rows.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::study::upwind {

/// The doubles of one end of a segment, from its first one on: MPI_Type_vector, as the published
/// program describes its rows and columns.
[[nodiscard]] inline mpi::Datatype datatype_of(const route::Segment& segment, route::End end) {
    return mpi::Datatype::of_vector(
        static_cast<int>(segment.count), static_cast<int>(segment.length),
        static_cast<int>(end == route::End::source ? segment.source_stride
                                                   : segment.destination_stride),
        MPI_DOUBLE);
}

}  // namespace transrank::study::upwind
