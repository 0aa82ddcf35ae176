// SPDX-License-Identifier: BSD-3-Clause
// Laplace's equation by weighted Jacobi steps with a fourth-order stencil: a halo of two cells.
//     mpiexec -n 4 ./jacobi
// writes the last state into jacobi.bin (doubles, C order).
#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "transrank/transrank.hpp"

/// All cells on rank 0, none on the others.
std::vector<double> solve(MPI_Comm comm) {
    constexpr int steps = 200;
    constexpr double weight = 0.8;
    const transrank::Grid grid(comm, {230, 417}, {.halo = 2});
    std::vector<double> u(grid.cells());
    if (grid.at_boundary(0, -1)) {  // the upper edge; an update leaves the halo outside as it is
        std::fill_n(u.begin(), grid.at(0, -2), 1.0);
    }
    auto next = u;
    auto halo = grid.halo({transrank::fields(u), transrank::fields(next)});
    const auto row = grid.at(1, 0) - grid.at(0, 0);
    for (int step = 0; step < steps; ++step) {
        halo.run_with(transrank::fields(u));
        for (int i = 0; i < grid.owned(0).length(); ++i) {
            for (int j = 0; j < grid.owned(1).length(); ++j) {
                const double* c = &u[grid.at(i, j)];
                const double near = c[-row] + c[row] + c[-1] + c[1];
                const double far = c[-2 * row] + c[2 * row] + c[-2] + c[2];
                next[grid.at(i, j)] = ((1 - weight) * *c) + (weight * (16 * near - far) / 60);
            }
        }
        std::swap(u, next);
    }
    return grid.gather(u);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (const auto u = solve(MPI_COMM_WORLD); !u.empty()) {
        const auto* bytes = reinterpret_cast<const char*>(u.data());
        std::ofstream("jacobi.bin").write(bytes, std::ssize(u) * sizeof(double));
    }
    return MPI_Finalize();
}
