// SPDX-License-Identifier: BSD-3-Clause
// Waves of shallow water in a channel: depths at centers of cells, velocities at their edges.
//     mpiexec -n 4 ./shallow_water
// writes the last depths into shallow_water.bin (doubles, C order).
#include <cmath>
#include <fstream>
#include <vector>

#include "transrank/transrank.hpp"

/// Calls visit(i, j) for each point that this rank owns.
void for_each(const transrank::Grid& grid, const auto& visit) {
    for (int i = 0; i < grid.owned(0).length(); ++i) {
        for (int j = 0; j < grid.owned(1).length(); ++j) {
            visit(i, j);
        }
    }
}

/// All depths on rank 0, none on the others.
std::vector<double> solve(MPI_Comm comm) {
    constexpr int across = 61;
    constexpr int steps = 100;
    constexpr double dt_by_dx = 0.1;
    constexpr double gravity = 9.81;
    constexpr double depth = 1;
    const transrank::Grid centers(comm, {90, across}, {.halo = 1, .periodic = {true, false}});
    const auto x_edges = centers.staggered(0);
    const auto y_edges = centers.staggered(1);
    std::vector<double> h(centers.cells());
    std::vector<double> u(x_edges.cells());
    std::vector<double> v(y_edges.cells());
    const auto x = centers.owned(0).begin;
    const auto y = centers.owned(1).begin;
    for_each(centers, [&](int i, int j) {
        const auto distance = std::hypot(x + i - 30, y + j - 20);
        h[centers.at(i, j)] = 0.1 * std::exp(-distance * distance / 50);
    });
    auto h_halo = centers.halo(h);
    auto u_halo = x_edges.halo(u);
    auto v_halo = y_edges.halo(v);
    for (int step = 0; step < steps; ++step) {
        h_halo.run();
        for_each(x_edges, [&](int i, int j) {
            const auto slope = h[centers.at(i, j)] - h[centers.at(i - 1, j)];
            u[x_edges.at(i, j)] -= dt_by_dx * gravity * slope;
        });
        for_each(y_edges, [&](int i, int j) {
            const auto slope = h[centers.at(i, j)] - h[centers.at(i, j - 1)];
            const bool at_wall = (y + j) % across == 0;
            v[y_edges.at(i, j)] -= at_wall ? 0 : dt_by_dx * gravity * slope;
        });
        u_halo.run();
        v_halo.run();
        for_each(centers, [&](int i, int j) {
            const auto inflow = u[x_edges.at(i + 1, j)] - u[x_edges.at(i, j)] +
                                v[y_edges.at(i, j + 1)] - v[y_edges.at(i, j)];
            h[centers.at(i, j)] -= dt_by_dx * depth * inflow;
        });
    }
    return centers.gather(h);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (const auto h = solve(MPI_COMM_WORLD); !h.empty()) {
        const auto* bytes = reinterpret_cast<const char*>(h.data());
        std::ofstream("shallow_water.bin").write(bytes, std::ssize(h) * sizeof(double));
    }
    return MPI_Finalize();
}
