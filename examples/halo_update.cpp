// SPDX-License-Identifier: BSD-3-Clause
// The halo of a grid, updated once: the program of the README.
//     mpiexec -n 2 ./halo_update
#include <algorithm>
#include <cstdio>

#include "transrank/transrank.hpp"

int main(int argc, char** argv) {
    using namespace transrank;
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto even = layout::Distribution::even;
    const layout::Halo around{.low = 1, .high = 1, .periodic = true};
    const layout::BlockGrid grid({even(1024, ranks), even(512, 1)}, {.halo = {around, around}});
    array::ParArray<int> cells;  // in node-shared memory
    cells.resize(grid.units(rank));
    std::ranges::fill(cells.data(), rank);
    const auto route = route::halo(rank, ranks, grid);
    exchange::Exchange(route, MPI_COMM_WORLD, {array::field(cells, cells)}).run();
    std::printf("rank %d: %d lies below\n", rank, cells.data()[1]);
    return MPI_Finalize();
}
