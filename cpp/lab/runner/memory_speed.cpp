// SPDX-License-Identifier: BSD-3-Clause
#include "memory_speed.hpp"

#include <algorithm>
#include <cstring>

#include "lab/machine/clock.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {

std::vector<double> MemorySpeed::copy_seconds(const mpi::Communicator& comm) {
    if (from_ == nullptr) {
        from_ = std::make_unique<std::byte[]>(copied_bytes);
        to_ = std::make_unique<std::byte[]>(copied_bytes);
    }
    const auto copy = [&] {
        mpi::check(MPI_Barrier(comm.handle()), "MPI_Barrier");
        const double begin = machine::now();
        std::memcpy(to_.get(), from_.get(), copied_bytes);
        asm volatile("" : : "r"(to_.get()) : "memory");  // it is not left out
        return machine::now() - begin;
    };
    copy();  // brings both into the shared cache, as far as there is room for them
    std::vector<double> own(copies);
    std::ranges::generate(own, copy);
    auto slowest = own;
    mpi::check(
        MPI_Reduce(own.data(), slowest.data(), copies, MPI_DOUBLE, MPI_MAX, 0, comm.handle()),
        "MPI_Reduce");
    return slowest;
}

}  // namespace transrank::lab::runner
