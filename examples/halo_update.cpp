// SPDX-License-Identifier: BSD-3-Clause
// The halo of a grid, updated once: the program of docs/cmake.md.
//     mpiexec -n 2 ./halo_update
#include <algorithm>
#include <cstdio>

#include "transrank/transrank.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const transrank::Grid grid(MPI_COMM_WORLD, {1024, 512}, {.halo = 1, .periodic = true});
    auto cells = grid.array<int>();  // in node-shared memory, halo included
    std::ranges::fill(cells.data(), grid.rank());
    auto halo = grid.halo(cells);  // binds the array, once
    halo.run();                    // in each step; or start, compute what needs no halo, wait
    std::printf("rank %d: before my first row lies rank %d\n", grid.rank(), cells.data()[1]);
    return MPI_Finalize();
}
