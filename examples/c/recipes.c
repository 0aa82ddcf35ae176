// SPDX-License-Identifier: BSD-3-Clause
// The recipes of docs/recipes.md in C: each function has the lines of one, and says whether what
// they move is right. gather_scatter.c has those of ghosts.
//     mpiexec -n 4 ./recipes
#include <stdio.h>
#include <stdlib.h>

#include "transrank/transrank.h"

enum { ROWS = 64, COLUMNS = 48 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank = 0;
static int ranks = 1;

static void check(int status) {
    if (status != TRANSRANK_OK) {
        fprintf(stderr, "%s\n", transrank_error_text());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);  // which some MPIs return from
        exit(EXIT_FAILURE);
    }
}

/// The grid in so many blocks of rows and of columns, and the cells of this rank, without a halo.
static transrank_layout* blocks(int of_rows, int of_columns, int64_t* cells) {
    transrank_distribution* along[2] = {NULL, NULL};
    check(transrank_distribution_even(ROWS, of_rows, &along[0]));
    check(transrank_distribution_even(COLUMNS, of_columns, &along[1]));
    const transrank_distribution* const divided[2] = {along[0], along[1]};
    transrank_layout* layout = NULL;
    check(transrank_layout_grid(2, divided, NULL, &layout));
    check(transrank_layout_local(layout, rank, NULL, NULL, cells));
    check(transrank_distribution_free(&along[0]));
    check(transrank_distribution_free(&along[1]));
    return layout;
}

static int halo_of_a_grid(void) {
    transrank_distribution* rows = NULL;
    transrank_distribution* columns = NULL;
    transrank_layout* grid = NULL;
    int64_t cells = 0;
    check(transrank_distribution_even(ROWS, ranks, &rows));
    check(transrank_distribution_even(COLUMNS, 1, &columns));
    const transrank_distribution* const divided[2] = {rows, columns};
    const transrank_halo around[2] = {{1, 1, 1}, {1, 1, 1}};  // low, high, periodic
    const transrank_grid_options options = {.halo = around};
    check(transrank_layout_grid(2, divided, &options, &grid));
    check(transrank_layout_local(grid, rank, NULL, NULL, &cells));  // halo included

    double* u = calloc((size_t)cells, sizeof *u);
    transrank_route* route = NULL;
    transrank_exchange* halo = NULL;
    const int64_t bytes = cells * (int64_t)sizeof *u;
    const transrank_field field = {.source = u,
                                   .source_bytes = bytes,
                                   .destination = u,
                                   .destination_bytes = bytes,
                                   .unit_bytes = sizeof *u};
    check(transrank_route_halo(comm, grid, TRANSRANK_CORNERS_INCLUDED, &route));
    check(transrank_exchange_bind(comm, route, 1, &field, NULL, &halo));
    check(transrank_exchange_run(halo));  // in each step

    const int64_t last = cells - COLUMNS - 2;
    int right = 1;
    for (int step = 0; step < 10; ++step) {
        for (int64_t i = 0; i < cells; ++i) {
            u[i] = (100.0 * step) + rank;
        }
        check(transrank_exchange_start(halo));
        // compute what needs no halo, and does not change u
        check(transrank_exchange_wait(halo));
        right = right && u[0] == (100.0 * step) + ((rank + ranks - 1) % ranks);
        right = right && u[last] == (100.0 * step) + ((rank + 1) % ranks);
    }

    transrank_route* star_route = NULL;
    transrank_exchange* star = NULL;
    u[0] = -1;
    check(transrank_route_halo(comm, grid, TRANSRANK_CORNERS_LEFT_OUT, &star_route));
    check(transrank_exchange_bind(comm, star_route, 1, &field, NULL, &star));
    check(transrank_exchange_run(star));
    right = right && u[0] == -1 && u[1] == 900.0 + ((rank + ranks - 1) % ranks);

    check(transrank_exchange_free(&star));
    check(transrank_route_free(&star_route));
    check(transrank_exchange_free(&halo));
    check(transrank_route_free(&route));
    check(transrank_layout_free(&grid));
    check(transrank_distribution_free(&columns));
    check(transrank_distribution_free(&rows));
    free(u);
    return right;
}

/// Two fields of each cell go from blocks of rows to blocks of columns, then to rank 0.
static int redistribution(void) {
    int64_t before = 0;
    int64_t after = 0;
    int64_t all = 0;
    transrank_layout* rows = blocks(ranks, 1, &before);
    transrank_layout* columns = blocks(1, ranks, &after);
    transrank_layout* whole = blocks(1, 1, &all);
    float* ice = malloc((size_t)before * sizeof *ice);
    double* wind = malloc((size_t)before * sizeof(double[3]));
    float* new_ice = malloc((size_t)after * sizeof *ice);
    double* new_wind = malloc((size_t)after * sizeof(double[3]));
    double* all_wind = malloc((size_t)all * sizeof(double[3]) + 1);
    for (int64_t i = 0; i < before; ++i) {
        ice[i] = (float)rank;
        wind[3 * i + 2] = rank;
    }
    transrank_route* route = NULL;
    transrank_exchange* bundle = NULL;
    const transrank_field fields[2] = {{.source = ice,
                                        .source_bytes = before * (int64_t)sizeof *ice,
                                        .destination = new_ice,
                                        .destination_bytes = after * (int64_t)sizeof *ice,
                                        .unit_bytes = sizeof *ice},
                                       {.source = wind,
                                        .source_bytes = before * (int64_t)sizeof(double[3]),
                                        .destination = new_wind,
                                        .destination_bytes = after * (int64_t)sizeof(double[3]),
                                        .unit_bytes = sizeof(double[3])}};
    check(transrank_route_redistribution(comm, rows, columns, TRANSRANK_OWNED, &route));
    check(transrank_exchange_bind(comm, route, 2, fields, NULL, &bundle));
    check(transrank_exchange_run(bundle));  // in each step
    int right = new_ice[0] == 0 && new_ice[after - 1] == (float)(ranks - 1);

    transrank_route* to_first = NULL;
    transrank_exchange* gather = NULL;
    const transrank_field field = {.source = new_wind,
                                   .source_bytes = after * (int64_t)sizeof(double[3]),
                                   .destination = all_wind,
                                   .destination_bytes = all * (int64_t)sizeof(double[3]),
                                   .unit_bytes = sizeof(double[3])};
    check(transrank_route_redistribution(comm, columns, whole, TRANSRANK_OWNED, &to_first));
    check(transrank_exchange_bind(comm, to_first, 1, &field, NULL, &gather));
    check(transrank_exchange_run(gather));
    for (int64_t i = 0; i < all; ++i) {
        right = right && all_wind[3 * i + 2] >= (i ? all_wind[3 * i - 1] : 0);
    }
    right = right && (all == 0 || all_wind[3 * all - 1] == ranks - 1);
    check(transrank_exchange_free(&gather));
    check(transrank_exchange_free(&bundle));
    check(transrank_route_free(&to_first));
    check(transrank_route_free(&route));
    check(transrank_layout_free(&whole));
    check(transrank_layout_free(&columns));
    check(transrank_layout_free(&rows));
    free(all_wind);
    free(new_wind);
    free(new_ice);
    free(wind);
    free(ice);
    return right;
}

/// Each rank sends its number to all: once, or as often as the sum of both numbers says.
static int alltoall(void) {
    const size_t most = (size_t)ranks * (size_t)(2 * ranks);
    double* send = malloc(most * sizeof *send);
    double* receive = malloc(most * sizeof *receive);
    int64_t* bytes = malloc((size_t)ranks * sizeof *bytes);
    int64_t* offsets = malloc((size_t)ranks * sizeof *offsets);
    for (size_t i = 0; i < most; ++i) {
        send[i] = rank;
    }
    check(transrank_alltoall(comm, send, receive, sizeof(double), NULL));
    int right = 1;
    int64_t end = 0;
    for (int peer = 0; peer < ranks; ++peer) {
        right = right && receive[peer] == peer;
        bytes[peer] = (rank + peer + 1) * (int64_t)sizeof(double);
        offsets[peer] = end;
        end += bytes[peer];
    }
    transrank_exchange* exchange = NULL;
    check(transrank_alltoallv_bind(comm, send, bytes, offsets, receive, bytes, offsets, NULL,
                                   &exchange));
    check(transrank_exchange_run(exchange));
    for (int peer = 0; peer < ranks; ++peer) {
        right = right && receive[offsets[peer] / (int64_t)sizeof(double)] == peer;
    }
    right = right && receive[end / (int64_t)sizeof(double) - 1] == ranks - 1;
    check(transrank_exchange_free(&exchange));
    free(offsets);
    free(bytes);
    free(receive);
    free(send);
    return right;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int right = halo_of_a_grid() & redistribution() & alltoall();
    printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 1;
}
