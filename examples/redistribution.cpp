// SPDX-License-Identifier: BSD-3-Clause
// Two fields of a grid move from blocks of rows to blocks of columns, as in a transpose or between
// coupled models.
//     mpiexec -n 4 ./redistribution
#include <cstdio>

#include "transrank/transrank.hpp"

using namespace transrank;

/// Numbers the values of a rank's cells by where they are in the whole grid; tells whether they
/// have been so numbered.
template <std::int64_t values>
bool number(array::ParArray<double, values>& field, const layout::BlockGrid& grid, int rank) {
    const auto box = grid.box(rank);
    bool same = true;
    std::int64_t cell = 0;
    for (std::int64_t i = box[0].begin; i < box[0].end; ++i) {
        for (std::int64_t j = box[1].begin; j < box[1].end; ++j, ++cell) {
            const auto wanted = static_cast<double>((1000 * i) + j);
            for (double& value : field[cell]) {
                same = same && value == wanted;
                value = wanted;
            }
        }
    }
    return same;
}

bool redistribute(int rank, int ranks) {
    using layout::Distribution;
    const layout::BlockGrid rows({Distribution::even(64, ranks), Distribution::even(32, 1)});
    const layout::BlockGrid columns({Distribution::even(64, 1), Distribution::even(32, ranks)});
    array::ParArray<double> temperature;  // one value per cell, in node-shared memory
    array::ParArray<double> temperature_after;
    array::ParArray<double, 3> wind;  // three values
    array::ParArray<double, 3> wind_after;
    temperature.resize(rows.units(rank));
    wind.resize(rows.units(rank));
    temperature_after.resize(columns.units(rank));
    wind_after.resize(columns.units(rank));
    number(temperature, rows, rank);
    number(wind, rows, rank);

    redistribution::Redistribution redistribution(MPI_COMM_WORLD, rows, columns);
    redistribution.store(
        {array::field(temperature, temperature_after), array::field(wind, wind_after)});
    redistribution.run();  // in each step; or start, compute, wait

    const redistribution::Layout from = rows;  // or redistribution::Points, lists of cells
    const auto route = redistribution::route_between(MPI_COMM_WORLD, from, columns);
    route::check_all_delivered_once(route, columns.units(rank));  // else it throws
    const bool right = number(temperature_after, columns, rank);
    return number(wind_after, columns, rank) && right;
}

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool right = redistribute(rank, ranks);
    std::printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 1;
}
