// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRANSRANK_TESTS_C_TESTING_H
#define TRANSRANK_TESTS_C_TESTING_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transrank/transrank.h"

static int rank = 0;
static int ranks = 1;
static int trial = 0;

/// Ends the job and says where; in all build types.
#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: trial %d, rank %d: not true: %s\nlast error: %s\n", __FILE__, \
                    __LINE__, trial, rank, #condition, transrank_error_text());                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                         \
        }                                                                                         \
    } while (0)
#define OK(call) CHECK((call) == TRANSRANK_OK)

static inline void begin(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks <= 8);
}

#endif
