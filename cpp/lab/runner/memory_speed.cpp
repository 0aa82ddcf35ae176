// SPDX-License-Identifier: BSD-3-Clause
#include "memory_speed.hpp"

#include <cstring>

#include "lab/machine/clock.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {

double MemorySpeed::copy_seconds(const mpi::Communicator& comm) {
    if (from_ == nullptr) {
        from_ = std::make_unique<std::byte[]>(copied_bytes);
        to_ = std::make_unique<std::byte[]>(copied_bytes);
    }
    // The first copy brings both into the shared cache, as far as there is room for them.
    double own = 0;
    for (int copy = 0; copy < 2; ++copy) {
        mpi::check(MPI_Barrier(comm.handle()), "MPI_Barrier");
        const double begin = machine::now();
        std::memcpy(to_.get(), from_.get(), copied_bytes);
        asm volatile("" : : "r"(to_.get()) : "memory");  // it is not left out
        own = machine::now() - begin;
    }
    double slowest = own;
    mpi::check(MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm.handle()), "MPI_Reduce");
    return slowest;
}

}  // namespace transrank::lab::runner
