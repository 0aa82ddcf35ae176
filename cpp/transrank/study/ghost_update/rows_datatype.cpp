// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/ghost_update/rows_datatype.hpp"

#include <vector>

#include "transrank/route/runs.hpp"

namespace transrank::study::ghost_update {

mpi::Datatype rows_datatype(const route::Leg& leg, route::End end, std::int64_t row_bytes) {
    std::vector<MPI_Aint> displacements;
    route::for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t rows) {
        const std::int64_t first = end == route::End::source ? source : destination;
        for (std::int64_t row = first; row < first + rows; ++row) {
            displacements.push_back(static_cast<MPI_Aint>(row * row_bytes));
        }
    });
    const std::vector<int> lengths(displacements.size(), static_cast<int>(row_bytes));
    return mpi::Datatype::of_blocks(lengths, displacements);
}

}  // namespace transrank::study::ghost_update
