// SPDX-License-Identifier: BSD-3-Clause
// Five species that spread in a periodic box and suppress each other in a circle: one array.
//     mpiexec -n 4 ./stencil
// writes the last state into stencil.bin (doubles, C order).
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>
#include <vector>

#include "transrank/transrank.hpp"

constexpr int species = 5;
using Cell = std::array<double, species>;

/// All cells on rank 0, none on the others.
std::vector<Cell> solve(MPI_Comm comm) {
    constexpr int steps = 20;
    constexpr double turn = 2 * std::numbers::pi;
    const transrank::Grid grid(comm, {40, 30, 20}, {.halo = 1, .periodic = true});
    const auto for_each_owned = [&](const auto& visit) {
        for (int i = 0; i < grid.owned(0).length(); ++i) {
            for (int j = 0; j < grid.owned(1).length(); ++j) {
                for (int k = 0; k < grid.owned(2).length(); ++k) {
                    visit(i, j, k);
                }
            }
        }
    };
    std::vector<Cell> u(grid.cells());
    std::vector<Cell> change(grid.cells());
    for_each_owned([&](int i, int j, int k) {
        const double z = turn / 40 * (grid.owned(0).begin + i);
        const double y = turn / 30 * (grid.owned(1).begin + j);
        const double x = turn / 20 * (grid.owned(2).begin + k);
        for (int s = 0; s < species; ++s) {
            u[grid.at(i, j, k)][s] =
                0.2 + (0.1 * std::sin(z + turn / species * s) * std::cos(y) * std::cos(x));
        }
    });
    auto halo = grid.halo(u);
    for (int step = 0; step < steps; ++step) {
        halo.start();
        for_each_owned([&](int i, int j, int k) {  // growth needs no halo
            const auto& c = u[grid.at(i, j, k)];
            const double sum = std::accumulate(c.begin(), c.end(), 0.0);
            for (int s = 0; s < species; ++s) {
                change[grid.at(i, j, k)][s] =
                    0.1 * c[s] * (1 - sum - c[(s + species - 1) % species]);
            }
        });
        halo.wait();
        for_each_owned([&](int i, int j, int k) {
            const std::array sides{grid.at(i - 1, j, k), grid.at(i + 1, j, k),
                                   grid.at(i, j - 1, k), grid.at(i, j + 1, k),
                                   grid.at(i, j, k - 1), grid.at(i, j, k + 1)};
            for (int s = 0; s < species; ++s) {
                for (const auto side : sides) {
                    change[grid.at(i, j, k)][s] += 0.1 * (u[side][s] - u[grid.at(i, j, k)][s]);
                }
            }
        });
        for_each_owned([&](int i, int j, int k) {
            for (int s = 0; s < species; ++s) {
                u[grid.at(i, j, k)][s] += change[grid.at(i, j, k)][s];
            }
        });
    }
    return grid.gather(u);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (const auto u = solve(MPI_COMM_WORLD); !u.empty()) {
        const auto* bytes = reinterpret_cast<const char*>(u.data());
        std::ofstream("stencil.bin").write(bytes, std::ssize(u) * sizeof(Cell));
    }
    return MPI_Finalize();
}
