// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 prints the seconds that a cache line takes, one way, between the cores of two ranks of a
// node, or "nan" where ranks have no core each or always lost it meanwhile.
#include "lab/runner/core_latency.hpp"

#include <mpi.h>

#include <iostream>
#include <limits>
#include <optional>

#include "transrank/mpi/communicator.hpp"

namespace {

constexpr int looks = 5;

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const transrank::mpi::Communicator world(MPI_COMM_WORLD);
        transrank::lab::runner::CoreLatency latency(world);
        std::optional<double> seconds;
        if (latency.measurable_by(world.size())) {
            for (int look = 0; look < looks; ++look) {
                MPI_Barrier(MPI_COMM_WORLD);
                const std::optional<double> found = latency.measure();
                seconds = found ? found : seconds;
            }
        }
        if (world.rank() == 0) {
            std::cout << seconds.value_or(std::numeric_limits<double>::quiet_NaN()) << '\n';
        }
    }
    MPI_Finalize();
}
