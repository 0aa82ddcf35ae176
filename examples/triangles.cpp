// SPDX-License-Identifier: BSD-3-Clause
// Heat in a mesh of triangles: linear elements, whose sums go to the owners of the vertices.
//     mpiexec -n 4 ./triangles
// writes the last temperatures of the vertices into triangles.bin (doubles).
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <vector>

#include "transrank/transrank.hpp"

using Point = std::array<double, 2>;
constexpr std::int64_t side = 40;

/// The points of a square, moved a little.
Point point(std::int64_t n) {
    const auto moved = [](auto place, auto phase) {
        return (place + 0.2 * std::sin(phase)) / side;
    };
    return {moved(n / (side + 1), 2 * n), moved(n % (side + 1), (2 * n) + 1)};
}

/// The corners of a triangle; there are two for each cell of the square.
std::array<std::int64_t, 3> triangle(std::int64_t n) {
    const auto a = (n / 2 / side * (side + 1)) + (n / 2 % side);
    const auto d = a + side + 2;
    return n % 2 == 0 ? std::array{a, a + 1, d - 1} : std::array{d, d - 1, a + 1};
}

struct Element {
    std::array<Point, 3> edges;  ///< each opposite of a corner
    double area;
    Element(const Point& a, const Point& b, const Point& c)
        : edges{between(b, c), between(c, a), between(a, b)},
          area(std::abs((edges[0][0] * edges[1][1]) - (edges[0][1] * edges[1][0])) / 2) {}
    static Point between(const Point& a, const Point& b) { return {b[0] - a[0], b[1] - a[1]}; }
    double stiffness(int i, int j) const {
        return ((edges[i][0] * edges[j][0]) + (edges[i][1] * edges[j][1])) / (4 * area);
    }
};

/// The temperatures of all vertices on rank 0, none on the others.
std::vector<double> solve(MPI_Comm comm) {
    constexpr int steps = 20;
    constexpr double dt = 5e-5;
    const transrank::Grid vertices(comm, {(side + 1) * (side + 1)});
    const transrank::Grid triangles(comm, {2 * side * side});
    std::vector<std::int64_t> corners;  // three for each triangle of this rank
    for (auto n = triangles.owned(0).begin; n < triangles.owned(0).end; ++n) {
        std::ranges::copy(triangle(n), std::back_inserter(corners));
    }

    const transrank::Ghosts mesh(comm, vertices.owned(0).length(), corners);
    for (auto& corner : corners) {
        corner = mesh.local(corner);
    }
    std::vector<Point> points(mesh.rows());
    std::vector<double> u(mesh.rows());
    for (int row = 0; row < mesh.owned(); ++row) {
        points[row] = point(mesh.index(row));
        u[row] = std::sin(3 * points[row][0]) * points[row][1];
    }
    mesh.update(points, u);

    std::vector<Element> elements;
    std::vector<double> mass(mesh.rows());
    for (auto c = corners.begin(); c != corners.end(); c += 3) {
        elements.emplace_back(points[c[0]], points[c[1]], points[c[2]]);
        for (int i = 0; i < 3; ++i) {
            mass[c[i]] += elements.back().area / 3;
        }
    }
    mesh.add(mass);
    std::vector<double> change(mesh.rows());
    auto halo = mesh.halo(u);
    for (int step = 0; step < steps; ++step) {
        halo.run();
        std::ranges::fill(change, 0);
        for (auto c = corners.begin(); const auto& element : elements) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    change[c[i]] += element.stiffness(i, j) * u[c[j]];
                }
            }
            c += 3;
        }
        mesh.add(change);
        for (int row = 0; row < mesh.owned(); ++row) {
            u[row] -= dt * change[row] / mass[row];
        }
    }
    return vertices.gather(std::span(u).first(mesh.owned()));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (const auto u = solve(MPI_COMM_WORLD); !u.empty()) {
        const auto* bytes = reinterpret_cast<const char*>(u.data());
        std::ofstream("triangles.bin").write(bytes, std::ssize(u) * sizeof(double));
    }
    return MPI_Finalize();
}
