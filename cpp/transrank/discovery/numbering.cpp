// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/numbering.hpp"

#include <mpi.h>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::discovery {
namespace {

// In floating point, which cannot overflow; a little below 2^63, since it rounds.
void check_total(const mpi::Communicator& comm, std::int64_t owned) {
    constexpr double most = 9.2e18;
    const auto own = static_cast<double>(owned);
    double total = 0;
    mpi::check(MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, comm.handle()), "MPI_Allreduce");
    mpi::agree(comm, [&] {
        layout::require(total < most, "the ranks own about ", total,
                        " rows together, more than 64 bits can number");
    });
}

std::int64_t rows_before(const mpi::Communicator& comm, std::int64_t owned) {
    std::int64_t before = 0;
    mpi::check(MPI_Exscan(&owned, &before, 1, MPI_INT64_T, MPI_SUM, comm.handle()), "MPI_Exscan");
    return comm.rank() == 0 ? 0 : before;  // undefined there
}

}  // namespace

Numbering::Numbering(const mpi::Communicator& comm, std::int64_t owned) {
    mpi::agree(comm, [&] {
        layout::require(owned >= 0, "rank ", comm.rank(), " owns ", owned,
                        " rows; it must be at least 0");
    });
    check_total(comm, owned);
    owned_.begin = rows_before(comm, owned);
    owned_.end = owned_.begin + owned;
    mpi::check(MPI_Allreduce(&owned, &extent_, 1, MPI_INT64_T, MPI_SUM, comm.handle()),
               "MPI_Allreduce");
    const auto even = layout::Distribution::even(extent_, comm.size());
    const int here = even.range(comm.rank()) == owned_ ? 1 : 0;
    int everywhere = 0;
    mpi::check(MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_LAND, comm.handle()),
               "MPI_Allreduce");
    if (everywhere != 0) {
        formula_ = even;
    }
}

}  // namespace transrank::discovery
