// SPDX-License-Identifier: BSD-3-Clause
// Vertices that several ranks use: their values are fetched from their owners, and what each rank
// adds to its copies is added up at the owners.
//     mpiexec -n 4 ./gather_scatter
#include <stdio.h>
#include <stdlib.h>

#include "transrank/transrank.h"

static void check(int status) {
    if (status != TRANSRANK_OK) {
        fprintf(stderr, "%s\n", transrank_error_text());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);  // which some MPIs return from
        exit(EXIT_FAILURE);
    }
}

enum { OWNED = 1000, USED = 20 };

int main(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    // Three numbers for each vertex, on the rank that owns it.
    const int64_t bytes = (int64_t)sizeof(double[OWNED][3]);
    void* memory = NULL;
    check(transrank_shared_alloc(bytes, &memory));
    double (*vertices)[3] = memory;
    const transrank_rows owned = {.count = OWNED,
                                  .length = 3,
                                  .element_bytes = sizeof(double),
                                  .scalar = TRANSRANK_FLOAT64,
                                  .data = vertices,
                                  .data_bytes = bytes};

    // The first vertices of the next rank, by their global numbers.
    const int next = (rank + 1) % ranks;
    int64_t used[USED];
    for (int i = 0; i < USED; ++i) {
        used[i] = ((int64_t)OWNED * next) + i;
    }
    transrank_ghost_update* ghosts = NULL;
    check(transrank_ghost_update_pull(MPI_COMM_WORLD, &owned, USED, used, &ghosts));
    void* copied = NULL;
    check(transrank_ghost_update_ghosts(ghosts, NULL, NULL, NULL, &copied));
    double (*copies)[3] = copied;

    transrank_exchange* gather = NULL;
    transrank_exchange* scatter = NULL;
    const transrank_options add = {.operation = TRANSRANK_ADD};
    check(transrank_ghost_update_bind(MPI_COMM_WORLD, ghosts, TRANSRANK_PULL, NULL, &gather));
    check(transrank_ghost_update_bind(MPI_COMM_WORLD, ghosts, TRANSRANK_PUSH, &add, &scatter));

    int right = 1;
    for (int step = 0; step < 10; ++step) {
        for (int i = 0; i < OWNED; ++i) {
            vertices[i][2] = (100.0 * rank) + step;
        }
        check(transrank_exchange_run(gather));  // or start, compute what needs no copies, wait
        for (int i = 0; i < USED; ++i) {
            right = right && copies[i][2] == (100.0 * next) + step;
            copies[i][2] = 0.5;
        }
        check(transrank_exchange_run(scatter));
        right = right && vertices[USED - 1][2] == (100.0 * rank) + step + 0.5;
        right = right && vertices[USED][2] == (100.0 * rank) + step;
    }
    printf("rank %d of %d: %s\n", rank, ranks, right ? "right" : "wrong");

    check(transrank_exchange_free(&gather));
    check(transrank_exchange_free(&scatter));
    check(transrank_ghost_update_free(&ghosts));
    check(transrank_shared_free(&memory));
    MPI_Finalize();
    return right ? 0 : 1;
}
