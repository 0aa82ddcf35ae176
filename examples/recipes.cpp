// SPDX-License-Identifier: BSD-3-Clause
// The recipes of docs/recipes.md in C++: each function has the lines of one, and says whether what
// they move is right.
//     mpiexec -n 4 ./recipes
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include "transrank/transrank.hpp"

/// The number of a cell of the whole periodic grid, by its place in the box of this rank.
double number(const transrank::Grid& grid, std::int64_t i, std::int64_t j) {
    const auto wrapped = [&](int axis, std::int64_t place) {
        const auto cells = grid.shape()[axis];
        return (grid.owned(axis).begin + place + cells) % cells;
    };
    return static_cast<double>((100 * wrapped(0, i)) + wrapped(1, j));
}

/// Numbers the owned cells of a grid with a halo of one cell, runs, and looks at the halo.
bool fills(const transrank::Grid& grid, std::span<double> u, auto& update, bool corners = true) {
    const auto rows = grid.owned(0).length();
    const auto columns = grid.owned(1).length();
    const auto components = std::ssize(u) / grid.cells();
    const auto for_each = [&](std::int64_t width, const auto& visit) {
        for (std::int64_t i = -width; i < rows + width; ++i) {
            for (std::int64_t j = -width; j < columns + width; ++j) {
                visit(i, j, u.subspan(grid.at(i, j) * components, components));
            }
        }
    };
    std::ranges::fill(u, -1);
    for_each(0, [&](auto i, auto j, auto cell) { std::ranges::fill(cell, number(grid, i, j)); });
    update();
    bool right = true;
    for_each(1, [&](auto i, auto j, auto cell) {
        const bool is_corner = (i < 0 || i == rows) && (j < 0 || j == columns);
        const double wanted = is_corner && !corners ? -1 : number(grid, i, j);
        right = right && std::ranges::all_of(cell, [&](double it) { return it == wanted; });
    });
    return right;
}

bool halo_of_a_grid(MPI_Comm comm) {
    constexpr int steps = 10;
    const transrank::Grid grid(comm, {64, 48}, {.halo = 1, .periodic = true});
    auto u = grid.array<double>();  // in node-shared memory, halo included
    auto halo = grid.halo(u);       // collective
    for (int step = 0; step < steps; ++step) {
        halo.run();
        // compute u.data()[grid.at(i, j)]: row 0 is the first owned one, row -1 the halo
    }
    const auto run = [&] { halo.run(); };
    return fills(grid, u.data(), run);
}

bool several_fields(MPI_Comm comm) {
    const transrank::Grid grid(comm, {64, 48}, {.halo = 1, .periodic = true});
    auto depth = grid.array<double>();
    auto wind = grid.array<double, 3>();  // three numbers per cell
    auto halo = grid.halo(depth, wind);
    halo.run();
    const auto run = [&] { halo.run(); };
    return fills(grid, depth.data(), run) && fills(grid, wind.data(), run);
}

bool staggered(MPI_Comm comm) {
    const transrank::Grid cells(comm, {64, 48}, {.halo = 1, .periodic = {true, false}});
    const auto edges = cells.staggered(1);  // 64 x 49
    auto v = edges.array<double>();
    auto halo = edges.halo(v);
    halo.run();
    return edges.shape() == std::vector<std::int64_t>{64, 49};
}

bool star(MPI_Comm comm, int rank, int ranks) {
    const transrank::Grid grid(comm, {64, 48}, {.halo = 1, .periodic = true});
    auto u = grid.array<double>();
    using enum transrank::route::Corners;
    const auto route = transrank::route::halo(rank, ranks, grid.layout(), left_out);
    transrank::exchange::Exchange star(route, comm, transrank::fields(u));
    const auto run = [&] { star.run(); };
    return fills(grid, u.data(), run, false);
}

bool cartesian(MPI_Comm comm, int ranks) {
    int parts[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Dims_create(ranks, 2, parts);
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Cart_create(comm, 2, parts, periods, 1, &cart);
    bool right = false;
    {
        const transrank::Grid grid(cart, {64, 48}, {.halo = 1});
        auto u = grid.array<double>();
        const auto run = [&] { grid.update(u); };
        right = fills(grid, u.data(), run);
    }
    MPI_Comm_free(&cart);
    return right;
}

bool own_arrays(MPI_Comm comm) {
    const transrank::Grid grid(comm, {64, 48}, {.halo = 1, .periodic = true});
    std::vector<double> old(grid.cells());
    auto next = old;
    grid.update(old);  // of any memory: std::vector, std::span, std::array
    auto halo = grid.halo({transrank::fields(old), transrank::fields(next)});
    halo.run_with(transrank::fields(next));  // the array of this step
    const auto run = [&] { halo.run_with(transrank::fields(next)); };
    const auto update = [&] { grid.update(old); };
    return fills(grid, next, run) && fills(grid, old, update);
}

bool ghosts_of_a_mesh(MPI_Comm comm, int rank, int ranks) {
    const std::vector<std::int64_t> wanted{100 * ((rank + 1) % ranks), 100 * ranks - 1};
    const transrank::Ghosts mesh(comm, 100, wanted);  // 100 rows are owned
    std::vector<double> rows(mesh.rows());            // owned rows, then ghosts
    std::iota(rows.begin(), rows.begin() + mesh.owned(), mesh.index(0));
    auto halo = mesh.halo(rows);
    halo.run();
    bool right = std::ranges::all_of(
        wanted, [&](auto index) { return rows[mesh.local(index)] == static_cast<double>(index); });
    std::ranges::fill(rows, 1);
    mesh.add(rows);
    const double sum = std::reduce(rows.begin(), rows.begin() + mesh.owned());
    double all = 0;
    double ghosts = static_cast<double>(mesh.rows());
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &ghosts, 1, MPI_DOUBLE, MPI_SUM, comm);
    return right && all == ghosts;
}

bool transpose(MPI_Comm comm, int ranks) {
    const transrank::Grid rows(comm, {64, 48}, {.parts = {ranks, 1}});
    auto u = rows.array<double>();
    std::ranges::fill(u.data(), rows.rank());
    const auto columns = rows.with_parts({1, ranks});
    auto turned = columns.array<double>();
    rows.to(columns, u, turned);

    const auto whole = columns.gather(turned);  // on rank 0; elsewhere it is empty
    columns.scatter(whole, turned);
    const auto again = rows.gather(u);
    return whole == again && whole == columns.gather(turned);
}

bool alltoall(MPI_Comm comm, int rank, int ranks) {
    std::vector<double> send(ranks, rank);  // a block of one number for each rank
    std::vector<double> receive(ranks);
    transrank::collective::Alltoall blocks(comm, send.data(), receive.data(), sizeof(double));
    blocks.run();
    std::vector<double> wanted(ranks);
    std::iota(wanted.begin(), wanted.end(), 0);
    const bool right = receive == wanted;

    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> bytes;
    std::vector<double> sent;
    std::vector<double> expected;
    for (int peer = 0; peer < ranks; ++peer) {
        offsets.push_back(8 * std::ssize(sent));
        bytes.push_back(8 * (rank + peer + 1));
        sent.insert(sent.end(), rank + peer + 1, rank);
        expected.insert(expected.end(), rank + peer + 1, peer);
    }
    std::vector<double> received(sent.size());
    const transrank::collective::Blocks lengths{offsets, bytes, offsets, bytes};  // to, from
    transrank::collective::Alltoall uneven(comm, sent.data(), received.data(), lengths);
    uneven.run();
    return right && received == expected;
}

bool overlap(MPI_Comm comm) {
    const transrank::Grid grid(comm, {64, 48}, {.halo = 1, .periodic = true});
    auto u = grid.array<double>();
    auto halo = grid.halo(u);
    const auto run = [&] {
        halo.start();
        // compute what needs no halo, and does not change u
        halo.wait();
    };
    return fills(grid, u.data(), run);
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const bool results[] = {halo_of_a_grid(comm),
                            several_fields(comm),
                            staggered(comm),
                            star(comm, rank, ranks),
                            cartesian(comm, ranks),
                            own_arrays(comm),
                            ghosts_of_a_mesh(comm, rank, ranks),
                            transpose(comm, ranks),
                            alltoall(comm, rank, ranks),
                            overlap(comm)};
    const bool right = std::ranges::all_of(results, std::identity());
    std::printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 1;
}
