// SPDX-License-Identifier: BSD-3-Clause
// Heat in a periodic box: a 7-point stencil on the blocks of an n x n x n grid.
//     mpiexec -n 4 ./stencil 64 100 heat.bin
// n, steps, file for the last state (doubles, C order)
#include <mpi.h>

#include <array>
#include <fstream>
#include <string>

#include "transrank/transrank.hpp"

using namespace transrank;
using Cells = array::ParArray<double>;  // memory that the other ranks of the node can read
exchange::Exchange bind(const route::Route& route, Cells& from, Cells& to) {
    return {route, MPI_COMM_WORLD, {array::field(from, to)}};
}

void simulate(std::int64_t n, int steps, const std::string& path, int rank, int ranks) {
    std::array<int, 3> parts{};
    MPI_Dims_create(ranks, 3, parts.data());
    const auto along = [&](std::size_t i) { return layout::Distribution::even(n, parts.at(i)); };
    const layout::Halo one{.low = 1, .high = 1, .periodic = true};
    const layout::BlockGrid grid({along(0), along(1), along(2)}, {.halo = {one, one, one}});
    const auto stride = grid.strides(grid.coordinates(rank));
    const auto box = grid.box(rank);  // the cells that this rank owns
    std::array<Cells, 2> cells;
    cells[0].resize(grid.units(rank));
    cells[1].resize(grid.units(rank));
    const auto ghosts = route::halo(rank, ranks, grid, route::Corners::left_out);
    std::array update{bind(ghosts, cells[0], cells[0]), bind(ghosts, cells[1], cells[1])};

    const auto for_each_owned = [&](const auto& visit) {
        for (std::int64_t x = 1; x <= box[0].length(); ++x) {
            for (std::int64_t y = 1; y <= box[1].length(); ++y) {
                for (std::int64_t z = 1; z <= box[2].length(); ++z) {
                    visit((x * stride[0]) + (y * stride[1]) + (z * stride[2]), x, y, z);
                }
            }
        }
    };
    for_each_owned([&](auto cell, auto x, auto y, auto z) {
        const auto at = (7 * (box[0].begin + x - 1)) + (13 * (box[1].begin + y - 1)) +
                        (29 * (box[2].begin + z - 1));
        cells[0].data()[cell] = static_cast<double>(at % 31);
    });
    for (int step = 0; step < steps; ++step) {
        update[step % 2].run();  // or start, compute what needs no ghosts, wait
        const double* now = cells[step % 2].data().data();
        double* next = cells[(step + 1) % 2].data().data();
        for_each_owned([=](auto cell, auto, auto, auto) {
            const double* c = now + cell;
            next[cell] = *c + (0.1 * (c[-stride[0]] + c[stride[0]] + c[-stride[1]] + c[stride[1]] +
                                      c[-stride[2]] + c[stride[2]] - (6 * *c)));
        });
    }
    const layout::BlockGrid whole(std::vector(3, layout::Distribution::even(n, 1)));  // on rank 0
    Cells gathered;
    gathered.resize(whole.units(rank));
    bind(route::redistribution(rank, ranks, grid, whole), cells[steps % 2], gathered).run();
    const auto bytes = std::as_bytes(gathered.data());
    if (rank == 0) {
        std::ofstream(path).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    }
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    simulate(std::stoll(argv[1]), std::stoi(argv[2]), argv[3], rank, ranks);
    MPI_Finalize();
}
