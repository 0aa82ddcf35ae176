// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/upwind/domain.hpp"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "transrank/machine/clock.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::study::upwind {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr int rounds = 3;

// The arrays begin half a page apart: at the same place in a page, loads from one would be taken
// for loads of what has just been stored into the other.
std::int64_t distance_bytes(const Block& block) {
    const std::int64_t bytes = block.doubles() * std::int64_t{sizeof(double)};
    return ((bytes + page_bytes - 1) / page_bytes * page_bytes) + (page_bytes / 2);
}

}  // namespace

std::int64_t Domain::bytes(const Block& block) {
    return 2 * distance_bytes(block);
}

Domain::Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
               Stencil stencil)
    : torus_(comm, processes, extents),
      stencil_(std::move(stencil)),
      block_(torus_.block()),
      sweep_(stencil_, block_),
      memory_(static_cast<std::size_t>(bytes(block_))) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        auto* begin =
            memory_.bytes().data() + (static_cast<std::int64_t>(i) * distance_bytes(block_));
        arrays_[i] = {reinterpret_cast<double*>(begin), static_cast<std::size_t>(block_.doubles())};
        std::ranges::fill(arrays_[i], 1.0);  // touches the pages
    }
    choose_stores();
}

double Domain::seconds_of_step(Stores stores) {
    sweep_.choose(stores);
    double best = 0;
    for (int round = 0; round < rounds; ++round) {
        mpi::check(MPI_Barrier(torus_.comm().handle()), "MPI_Barrier");
        const double begin = machine::now();
        sweep_(array(1).data(), array(0).data(), whole(block_));
        sweep_(array(0).data(), array(1).data(), whole(block_));
        double seconds = machine::now() - begin;
        mpi::check(
            MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, torus_.comm().handle()),
            "MPI_Allreduce");
        best = round == 0 ? seconds : std::min(best, seconds);
    }
    return best;
}

void Domain::choose_stores() {
    const double cached = seconds_of_step(Stores::cached);
    const double streamed = seconds_of_step(Stores::streamed);
    sweep_.choose(streamed < cached ? Stores::streamed : Stores::cached);
}

}  // namespace transrank::study::upwind
