// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2
#include "lab/study/baseline/rma_window.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <array>
#include <stdexcept>

using namespace transrank;

TEST_CASE("a rank that unwinds for an error does not wait for others to free a window") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    static std::array<std::byte, 64> memory{};  // others may reach it as long as there is a window
    const auto fail = [&] {
        const lab::study::Window window(memory, 1, world);
        if (world.rank() != 0) {
            MPI_Barrier(world.handle());
        }
        throw std::runtime_error("an error");
    };
    CHECK_THROWS_AS(fail(), std::runtime_error);
    if (world.rank() == 0) {
        MPI_Barrier(world.handle());
    }
}
