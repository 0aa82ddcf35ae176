// SPDX-License-Identifier: BSD-3-Clause
// A route is made once, saved, and loaded by later jobs. Here the owners list the rows that they
// send. The files of the route are written into FOLDER.
//     mpiexec -n 4 ./routes FOLDER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transrank/transrank.h"

enum { OWNED = 100, SENT = 3 };
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

/// Sends the first rows of each rank to the next rank, along a route that was saved in `folder`.
static int save_and_load(const char* folder) {
    const int64_t rows[SENT] = {0, 1, 2};
    const int next = (rank + 1) % ranks;
    const int targets[SENT] = {next, next, next};
    transrank_numbering* numbering = NULL;
    transrank_route* made = NULL;
    transrank_route* route = NULL;
    check(transrank_numbering_create(comm, OWNED, 0, &numbering));
    check(transrank_route_ghost_push(comm, numbering, SENT, rows, targets, OWNED, &made));
    check(transrank_route_save(comm, made, folder));
    check(transrank_route_load(comm, folder, &route));  // in another job, too

    // The ghosts lie behind the owned rows, in one array.
    int64_t units = 0;
    int64_t first = 0;
    check(transrank_route_extents(route, NULL, &units));
    check(transrank_numbering_range(numbering, &first, NULL, NULL));
    double* values = calloc((size_t)units, sizeof *values);
    for (int i = 0; i < OWNED; ++i) {
        values[i] = (double)(first + i);
    }
    transrank_exchange* exchange = NULL;
    const int64_t bytes = units * (int64_t)sizeof *values;
    const transrank_field field = {.source = values,
                                   .source_bytes = bytes,
                                   .destination = values,
                                   .destination_bytes = bytes,
                                   .unit_bytes = sizeof *values};
    check(transrank_exchange_bind(comm, route, 1, &field, NULL, &exchange));
    check(transrank_exchange_start(exchange));
    int done = 0;
    while (!done) {
        check(transrank_exchange_wait_for(exchange, 0.01, &done));
    }

    // The route that was made knows the global index of each ghost, and so its owner.
    int64_t count = 0;
    const int64_t* ghosts = NULL;
    int right = 1;
    check(transrank_route_ghosts(made, &count, &ghosts));
    for (int64_t i = 0; i < count; ++i) {
        int owner = -1;
        int64_t row = -1;
        int64_t index = -1;
        check(transrank_numbering_place(numbering, ghosts[i], &owner, &row));
        check(transrank_numbering_index(numbering, owner, row, &index));
        right = right && owner == (rank + ranks - 1) % ranks && index == ghosts[i];
        right = right && values[OWNED + i] == (double)ghosts[i];
    }
    right = right && count == SENT && units == OWNED + SENT;

    check(transrank_exchange_free(&exchange));
    check(transrank_route_free(&route));
    check(transrank_route_free(&made));
    check(transrank_numbering_free(&numbering));
    free(values);
    return right;
}

/// Sends the same rows without making a route: the update allocates the ghosts' array.
static int push(void) {
    double owned[OWNED];
    for (int i = 0; i < OWNED; ++i) {
        owned[i] = (rank * OWNED) + i;
    }
    const int64_t pushed[SENT] = {0, 1, 2};
    const int next = (rank + 1) % ranks;
    const int targets[SENT] = {next, next, next};
    const transrank_rows rows = {.count = OWNED,
                                 .length = 1,
                                 .element_bytes = sizeof owned[0],
                                 .scalar = TRANSRANK_FLOAT64,
                                 .data = owned,
                                 .data_bytes = sizeof owned};
    transrank_ghost_update* update = NULL;
    transrank_exchange* exchange = NULL;
    int64_t count = 0;
    void* ghosts = NULL;
    check(transrank_ghost_update_push(comm, &rows, SENT, pushed, targets, &update));
    check(transrank_ghost_update_bind(comm, update, TRANSRANK_PULL, NULL, &exchange));
    check(transrank_exchange_run(exchange));
    check(transrank_ghost_update_ghosts(update, &count, NULL, NULL, &ghosts));
    const int before = (rank + ranks - 1) % ranks;
    int right = count == SENT;
    for (int i = 0; i < SENT; ++i) {
        right = right && ((double*)ghosts)[i] == (before * OWNED) + i;
    }
    check(transrank_exchange_free(&exchange));
    check(transrank_ghost_update_free(&update));
    return right;
}

/// The local part of a matrix in ScaLAPACK's block-cyclic layout: blocks of 8 x 8, columns
/// contiguous.
static int deal_out(void) {
    enum { ORDER = 100, BLOCK = 8 };
    transrank_distribution* rows = NULL;
    transrank_distribution* columns = NULL;
    transrank_layout* matrix = NULL;
    check(transrank_distribution_block_cyclic(ORDER, ranks, BLOCK, 0, &rows));
    check(transrank_distribution_block_cyclic(ORDER, 1, BLOCK, 0, &columns));
    const transrank_distribution* const divided[2] = {rows, columns};
    const int column_by_column[2] = {0, 1};
    const transrank_grid_options options = {.part_order = TRANSRANK_FIRST_FASTEST,
                                            .memory_order = column_by_column};
    int64_t extents[2] = {0, 0};
    int64_t strides[2] = {0, 0};
    int64_t owned = 0;
    check(transrank_layout_grid(2, divided, &options, &matrix));
    check(transrank_layout_local(matrix, rank, extents, strides, NULL));
    check(transrank_distribution_owned(rows, rank, &owned));
    check(transrank_layout_free(&matrix));
    check(transrank_distribution_free(&columns));
    check(transrank_distribution_free(&rows));
    return extents[0] == owned && extents[1] == ORDER && strides[0] == 1 && strides[1] == owned;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    // The library that is linked is the one that was compiled with.
    int right = strcmp(transrank_version(), TRANSRANK_VERSION) == 0;
    right &= save_and_load(argc > 1 ? argv[1] : "routes");
    right &= push();
    right &= deal_out();
    printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");
    MPI_Finalize();
    return right ? 0 : 1;
}
