// SPDX-License-Identifier: BSD-3-Clause
// The halo of a grid, updated in each step.
//     mpiexec -n 2 ./halo_update
#include <stdio.h>
#include <stdlib.h>

#include "transrank/transrank.h"

/// Ends the job with the library's own words unless a call has succeeded.
static void check(int status) {
    if (status != TRANSRANK_OK) {
        fprintf(stderr, "%s\n", transrank_error_text());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);  // which some MPIs return from
        exit(EXIT_FAILURE);
    }
}

struct cell {
    double level;
    int kind;
};

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    // Who owns what: rows of the grid are divided, columns are not; one halo cell on all sides.
    transrank_distribution* rows = NULL;
    transrank_distribution* columns = NULL;
    check(transrank_distribution_even(1024, ranks, &rows));
    check(transrank_distribution_even(512, 1, &columns));
    const transrank_distribution* const divided[2] = {rows, columns};
    const transrank_halo around[2] = {{1, 1, 1}, {1, 1, 1}};  // low, high, periodic
    const transrank_grid_options options = {.halo = around};
    transrank_layout* grid = NULL;
    check(transrank_layout_grid(2, divided, &options, &grid));

    // The local array, halo included, in memory that the other ranks of the node can read.
    int64_t units = 0;
    void* memory = NULL;
    check(transrank_layout_local(grid, rank, NULL, NULL, &units));
    check(transrank_shared_alloc(units * (int64_t)sizeof(int), &memory));
    int* cells = memory;

    // What moves between whom, and the arrays that it moves.
    transrank_route* route = NULL;
    transrank_exchange* update = NULL;
    check(transrank_route_halo(MPI_COMM_WORLD, grid, TRANSRANK_CORNERS_INCLUDED, &route));
    const transrank_field field = {.source = cells,
                                   .source_bytes = units * (int64_t)sizeof(int),
                                   .destination = cells,
                                   .destination_bytes = units * (int64_t)sizeof(int),
                                   .unit_bytes = sizeof(int)};
    check(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &field, NULL, &update));

    for (int step = 0; step < 10; ++step) {
        for (int64_t i = 0; i < units; ++i) {
            cells[i] = rank;
        }
        check(transrank_exchange_start(update));
        // compute what needs no halo
        check(transrank_exchange_wait(update));
    }
    printf("rank %d: before my first row lies rank %d\n", rank, cells[1]);

    // Two arrays of structs that each step swaps; one member has a halo.
    struct cell* states[2] = {calloc((size_t)units, sizeof(struct cell)),
                              calloc((size_t)units, sizeof(struct cell))};
    const transrank_dimension all = {.count = units, .stride_bytes = sizeof(struct cell)};
    const transrank_view levels = {.count = 1, .dimensions = &all, .element_bytes = sizeof(double)};
    transrank_field sets[2];
    for (int i = 0; i < 2; ++i) {
        sets[i] = (transrank_field){.source = &states[i]->level,
                                    .source_bytes = units * (int64_t)sizeof(double),
                                    .destination = &states[i]->level,
                                    .destination_bytes = units * (int64_t)sizeof(double),
                                    .unit_bytes = sizeof(double),
                                    .source_view = &levels,
                                    .destination_view = &levels};
    }
    const transrank_options two = {.sets = 2};
    transrank_exchange* swapped = NULL;
    check(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, sets, &two, &swapped));
    for (int step = 0; step < 10; ++step) {
        check(transrank_exchange_run_with(swapped, 1, &sets[step % 2]));
    }

    check(transrank_exchange_free(&swapped));
    free(states[0]);
    free(states[1]);
    check(transrank_exchange_free(&update));
    check(transrank_route_free(&route));
    check(transrank_shared_free(&memory));
    check(transrank_layout_free(&grid));
    check(transrank_distribution_free(&columns));
    check(transrank_distribution_free(&rows));
    MPI_Finalize();
    return 0;
}
