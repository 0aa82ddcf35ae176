// SPDX-License-Identifier: BSD-3-Clause
#include "node_clocks.hpp"

#include <algorithm>

#include "lab/machine/clock.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {
namespace {

// A line through half a second of readings that are wrong by a tenth of a microsecond is wrong by
// microseconds after so long.
constexpr double fit_lasts_seconds = 30;

}  // namespace

NodeClocks::NodeClocks(const mpi::Communicator& world)
    : world_(world),
      fit_(measure::synchronise_clocks(world, machine::now)),
      fitted_(machine::now()),
      worst_error_seconds_(fit_.accuracy_seconds) {}

void NodeClocks::refresh() {
    int old = machine::now() - fitted_ > fit_lasts_seconds ? 1 : 0;
    mpi::check(MPI_Bcast(&old, 1, MPI_INT, 0, world_.handle()), "MPI_Bcast");
    if (old == 0) {
        return;
    }
    check();
    fit_ = measure::synchronise_clocks(world_, machine::now);
    fitted_ = machine::now();
    worst_error_seconds_ = std::max(worst_error_seconds_, fit_.accuracy_seconds);
}

double NodeClocks::worst_error_seconds() {
    check();
    return worst_error_seconds_;
}

void NodeClocks::check() {
    const double now_seconds = measure::check_clocks(world_, fit_.model, machine::now);
    worst_error_seconds_ = std::max(worst_error_seconds_, now_seconds);
}

}  // namespace transrank::lab::runner
