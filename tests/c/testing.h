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

/// The same numbers on every rank: each knows what all the others do.
static uint64_t random_state = 0;

static inline uint64_t drawn(void) {  // splitmix64
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// From `least` to `most`.
static inline int between(int least, int most) {
    return least + (int)(drawn() % (uint64_t)(most - least + 1));
}

static inline void* zeroed(int64_t count, size_t bytes) {
    void* memory = calloc(count > 0 ? (size_t)count : 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

/// Of either kind, as they may be mixed.
static inline void* array(int64_t bytes, int shared) {
    void* memory = NULL;
    if (!shared) {
        return zeroed(bytes, 1);
    }
    OK(transrank_shared_alloc(bytes, &memory));
    return memory;
}

static inline void free_array(void* memory, int shared) {
    if (shared) {
        OK(transrank_shared_free(&memory));
    } else {
        free(memory);
    }
}

static inline void begin(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks <= 8);
}

#endif
