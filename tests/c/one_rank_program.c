// SPDX-License-Identifier: BSD-3-Clause
// One rank passes something wrong to a collective call: all ranks get one error, and nobody waits.
// What is not collective is refused where it is called.
#include "testing.h"

// For Fortran, so not in the header.
int transrank_numbering_create_f(MPI_Fint comm, int64_t owned, int table, transrank_numbering** it);
int transrank_exchange_bind_f(MPI_Fint comm, const transrank_route* route, int count,
                              const transrank_field* fields, const transrank_options* options,
                              transrank_exchange** exchange);

static transrank_numbering* numbering = NULL;
static transrank_layout* grid = NULL;
static transrank_route* route = NULL;
static transrank_exchange* exchange = NULL;
static transrank_ghost_update* update = NULL;
static double numbers[64];
static transrank_route* freed_route = NULL;

static void* const not_made = &numbers;  // what a handle is before a call that fails

enum Wrong {
    RIGHT,
    NO_HANDLE,
    FREED,
    OTHER_KIND,
    NO_PLACE,
    NO_LIST,
    NEGATIVE,
    HUGE_NUMBER,
    UNKNOWN
};

/// The handle, or what the bad rank has instead of it.
#define GIVEN(handle)                           \
    (wrong == NO_HANDLE    ? NULL               \
     : wrong == FREED      ? (void*)freed_route \
     : wrong == OTHER_KIND ? (void*)exchange    \
                           : (void*)(handle))
#define PLACE(handle) (wrong == NO_PLACE ? NULL : &(handle))
static const int64_t list[8] = {0, 0, 0, 0, 0, 0, 0, 0};
static const int targets[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#define LIST (wrong == NO_LIST ? NULL : list)
#define COUNT (wrong == NEGATIVE ? -1 : wrong == HUGE_NUMBER ? INT64_MAX : 1)
#define CHOICE(right) (wrong == UNKNOWN ? 77 : (right))

static int numbering_create(enum Wrong wrong) {
    transrank_numbering* made = not_made;
    const int64_t owned = wrong == NEGATIVE ? -1 : 4;
    const int status = transrank_numbering_create(MPI_COMM_WORLD, owned, 0, PLACE(made));
    CHECK(wrong == NO_PLACE || (status == TRANSRANK_OK) == (made != NULL));
    OK(made == not_made ? TRANSRANK_OK : transrank_numbering_free(&made));
    return status;
}

#define ROUTE_CALL(name, call)                                                  \
    static int name(enum Wrong wrong) {                                         \
        transrank_route* made = not_made;                                       \
        const int status = (call);                                              \
        CHECK(wrong == NO_PLACE || (status == TRANSRANK_OK) == (made != NULL)); \
        OK(made == not_made ? TRANSRANK_OK : transrank_route_free(&made));      \
        return status;                                                          \
    }
ROUTE_CALL(halo, transrank_route_halo(MPI_COMM_WORLD, GIVEN(grid), CHOICE(0), PLACE(made)))
ROUTE_CALL(redistribution, transrank_route_redistribution(MPI_COMM_WORLD, grid, GIVEN(grid),
                                                          CHOICE(0), PLACE(made)))
ROUTE_CALL(ghost_pull, transrank_route_ghost_pull(MPI_COMM_WORLD, GIVEN(numbering), COUNT, LIST, 0,
                                                  1, PLACE(made)))
ROUTE_CALL(ghost_push,
           transrank_route_ghost_push(MPI_COMM_WORLD, GIVEN(numbering), COUNT, list,
                                      wrong == NO_LIST ? NULL : targets, 0, PLACE(made)))
ROUTE_CALL(alltoallv,
           transrank_route_alltoallv(MPI_COMM_WORLD, list, LIST, list, list, PLACE(made)))
ROUTE_CALL(load, transrank_route_load(MPI_COMM_WORLD, wrong == NO_LIST ? NULL : ".", PLACE(made)))

static int save(enum Wrong wrong) {
    return transrank_route_save(MPI_COMM_WORLD, GIVEN(route), wrong == NO_LIST ? NULL : ".");
}

static int bind(enum Wrong wrong) {
    transrank_exchange* made = not_made;
    const int64_t bytes = wrong == NEGATIVE ? -1 : 256;
    const transrank_field field = {.source = wrong == NO_LIST ? NULL : numbers,
                                   .source_bytes = bytes,
                                   .destination = &numbers[32],
                                   .destination_bytes = bytes,
                                   .unit_bytes = wrong == HUGE_NUMBER ? INT64_MAX : 8,
                                   .scalar = CHOICE(TRANSRANK_FLOAT64)};
    const int status =
        transrank_exchange_bind(MPI_COMM_WORLD, GIVEN(route), 1, &field, NULL, PLACE(made));
    CHECK(wrong == NO_PLACE || (status == TRANSRANK_OK) == (made != NULL));
    OK(made == not_made ? TRANSRANK_OK : transrank_exchange_free(&made));
    return status;
}

static int bind_with_options(enum Wrong wrong) {
    transrank_exchange* made = NULL;
    const transrank_field field = {.source = numbers,
                                   .source_bytes = 256,
                                   .destination = &numbers[32],
                                   .destination_bytes = 256,
                                   .unit_bytes = 8};
    const transrank_options options = {.operation = CHOICE(TRANSRANK_ASSIGN),
                                       .longest_message_bytes = wrong == NEGATIVE ? -1 : 1000,
                                       .transport = wrong == NO_LIST ? "nosuch" : NULL};
    const int status = transrank_exchange_bind(MPI_COMM_WORLD, route, wrong == HUGE_NUMBER ? -1 : 1,
                                               &field, &options, &made);
    OK(transrank_exchange_free(&made));
    return status;
}

// Of a grid, 6 cells on each rank.
static int bind_to_grid(enum Wrong wrong) {
    transrank_exchange* made = NULL;
    transrank_route* of_grid = NULL;
    const int64_t right = 6 * (int64_t)sizeof numbers[0];
    transrank_field field = {.source = numbers,
                             .source_bytes = right,
                             .destination = numbers,
                             .destination_bytes = right,
                             .unit_bytes = 8};
    field.source_bytes += wrong == HUGE_NUMBER ? 8 : wrong == NEGATIVE ? -8 : 0;
    field.destination_bytes += wrong == UNKNOWN ? 1 : wrong == NO_LIST ? 16 : 0;
    OK(transrank_route_halo(MPI_COMM_WORLD, grid, 0, &of_grid));
    const int status = transrank_exchange_bind(MPI_COMM_WORLD, of_grid, 1, &field, NULL, &made);
    CHECK(wrong != HUGE_NUMBER || strstr(transrank_error_text(),
                                         "the source has 56 bytes; the rank's array of this grid "
                                         "has shape (6), halo included"));
    OK(transrank_exchange_free(&made));
    OK(transrank_route_free(&of_grid));
    return status;
}

static transrank_rows rows_of(enum Wrong wrong) {
    return (transrank_rows){.count = wrong == NEGATIVE ? -1 : 4,
                            .length = wrong == HUGE_NUMBER ? INT64_MAX : 2,
                            .element_bytes = 8,
                            .scalar = CHOICE(TRANSRANK_FLOAT64),
                            .data = wrong == NO_LIST ? NULL : numbers,
                            .data_bytes = sizeof numbers};
}

#define UPDATE_CALL(name, call)                                                   \
    static int name(enum Wrong wrong) {                                           \
        transrank_ghost_update* made = not_made;                                  \
        const transrank_rows rows = rows_of(wrong);                               \
        const int status = (call);                                                \
        CHECK(wrong == NO_PLACE || (status == TRANSRANK_OK) == (made != NULL));   \
        OK(made == not_made ? TRANSRANK_OK : transrank_ghost_update_free(&made)); \
        return status;                                                            \
    }
#define ROWS (wrong == FREED ? NULL : &rows)
UPDATE_CALL(update_pull, transrank_ghost_update_pull(MPI_COMM_WORLD, ROWS, 1, LIST, PLACE(made)))
UPDATE_CALL(update_push,
            transrank_ghost_update_push(MPI_COMM_WORLD, ROWS, 1, LIST, targets, PLACE(made)))
UPDATE_CALL(update_along,
            transrank_ghost_update_along(MPI_COMM_WORLD, &rows,
                                         wrong == RIGHT ? route : GIVEN(route), PLACE(made)))
UPDATE_CALL(update_like,
            transrank_ghost_update_like(MPI_COMM_WORLD, &rows, GIVEN(update), PLACE(made)))

static int update_bind(enum Wrong wrong) {
    transrank_exchange* made = not_made;
    const transrank_options options = {.operation = wrong == NO_LIST ? -1 : TRANSRANK_ADD};
    const int status = transrank_ghost_update_bind(MPI_COMM_WORLD, GIVEN(update),
                                                   CHOICE(TRANSRANK_PUSH), &options, PLACE(made));
    CHECK(wrong == NO_PLACE || (status == TRANSRANK_OK) == (made != NULL));
    OK(made == not_made ? TRANSRANK_OK : transrank_exchange_free(&made));
    return status;
}

static int alltoall(enum Wrong wrong) {
    const int64_t bytes = wrong == NEGATIVE ? -1 : wrong == HUGE_NUMBER ? INT64_MAX : 8;
    const transrank_alltoall_options options = {.algorithm = wrong == UNKNOWN ? "nosuch" : NULL,
                                                .torus = targets,
                                                .torus_dimensions = wrong == FREED ? -1 : 0};
    return transrank_alltoall(MPI_COMM_WORLD, wrong == NO_LIST ? NULL : numbers, &numbers[32],
                              bytes, &options);
}

static int alltoall_bind(enum Wrong wrong) {
    transrank_exchange* made = not_made;
    const int status = transrank_alltoall_bind(MPI_COMM_WORLD, numbers, &numbers[32],
                                               wrong == NEGATIVE ? -1 : 8, NULL, PLACE(made));
    OK(made == not_made ? TRANSRANK_OK : transrank_exchange_free(&made));
    return status;
}

static int alltoallv_bind(enum Wrong wrong) {
    transrank_exchange* made = not_made;
    const int64_t bytes[8] = {wrong == NEGATIVE ? -1 : 0};
    const int status =
        transrank_alltoallv_bind(MPI_COMM_WORLD, numbers, bytes, LIST, &numbers[32], list,
                                 wrong == UNKNOWN ? NULL : list, NULL, PLACE(made));
    OK(made == not_made ? TRANSRANK_OK : transrank_exchange_free(&made));
    return status;
}

#define BIT(wrong) (1u << (wrong))
#define HANDLES (BIT(NO_HANDLE) | BIT(FREED) | BIT(OTHER_KIND) | BIT(NO_PLACE))

static const struct {
    const char* name;
    int (*call)(enum Wrong);
    unsigned wrong;
} calls[] = {
    {"numbering_create", numbering_create, BIT(NEGATIVE) | BIT(NO_PLACE)},
    {"route_halo", halo, HANDLES | BIT(UNKNOWN)},
    {"route_redistribution", redistribution, HANDLES | BIT(UNKNOWN)},
    {"route_ghost_pull", ghost_pull, HANDLES | BIT(NO_LIST) | BIT(NEGATIVE)},
    {"route_ghost_push", ghost_push, HANDLES | BIT(NO_LIST) | BIT(NEGATIVE)},
    {"route_alltoallv", alltoallv, BIT(NO_LIST) | BIT(NO_PLACE)},
    {"route_save", save, (HANDLES & ~BIT(NO_PLACE)) | BIT(NO_LIST)},
    {"route_load", load, BIT(NO_LIST) | BIT(NO_PLACE)},
    {"exchange_bind", bind,
     HANDLES | BIT(NO_LIST) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN)},
    {"exchange_bind", bind_with_options,
     BIT(NO_LIST) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN)},
    {"exchange_bind of a grid", bind_to_grid,
     BIT(NO_LIST) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN)},
    {"ghost_update_pull", update_pull,
     BIT(FREED) | BIT(NO_LIST) | BIT(NO_PLACE) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN)},
    {"ghost_update_push", update_push,
     BIT(FREED) | BIT(NO_LIST) | BIT(NO_PLACE) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN)},
    {"ghost_update_along", update_along, HANDLES | BIT(NO_LIST) | BIT(NEGATIVE)},
    {"ghost_update_like", update_like, HANDLES | BIT(NO_LIST) | BIT(NEGATIVE)},
    {"ghost_update_bind", update_bind, HANDLES | BIT(NO_LIST) | BIT(UNKNOWN)},
    {"alltoall", alltoall,
     BIT(NO_LIST) | BIT(NEGATIVE) | BIT(HUGE_NUMBER) | BIT(UNKNOWN) | BIT(FREED)},
    {"alltoall_bind", alltoall_bind, BIT(NO_PLACE) | BIT(NEGATIVE)},
    {"alltoallv_bind", alltoallv_bind, BIT(NO_PLACE) | BIT(NO_LIST) | BIT(NEGATIVE) | BIT(UNKNOWN)},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void check_agreed(int status, const char* name, enum Wrong wrong) {
    enum { LONGEST = 1000 };
    char own[LONGEST];
    char first[LONGEST];
    if (status != TRANSRANK_ERROR_AGREED) {
        fprintf(stderr, "%s, wrong %d: status %d\n", name, (int)wrong, status);
    }
    CHECK(status == TRANSRANK_ERROR_AGREED);
    strncpy(own, transrank_error_text(), LONGEST - 1);
    own[LONGEST - 1] = '\0';
    memcpy(first, own, LONGEST);
    MPI_Bcast(first, LONGEST, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strlen(own) > 10 && strcmp(own, first) == 0);
}

static void misuse_collective_calls(void) {
    for (int i = 0; i < CALLS; ++i) {
        for (int bad = 0; bad < ranks; ++bad) {
            for (int wrong = NO_HANDLE; wrong <= UNKNOWN; ++wrong) {
                trial = (1000 * i) + (100 * bad) + wrong;
                if ((calls[i].wrong & BIT(wrong)) != 0) {
                    const int status = calls[i].call(rank == bad ? (enum Wrong)wrong : RIGHT);
                    check_agreed(status, calls[i].name, (enum Wrong)wrong);
                }
            }
        }
        OK(calls[i].call(RIGHT));
    }
}

// One argument in which one rank differs, by a value that is as good in itself. What a call makes
// is used where only that shows whether ranks agree.

static const char* differing = "";  // the name of that argument on the bad rank
static transrank_numbering* other_numbering = NULL;
static transrank_layout* other_grid = NULL;
static transrank_route* other_route = NULL;
static transrank_ghost_update* other_update = NULL;

#define EITHER(argument, right, other) (strcmp(differing, argument) == 0 ? (other) : (right))

static transrank_options options_given(void) {
    return (transrank_options){
        .operation = EITHER("options.operation", TRANSRANK_ADD, TRANSRANK_MAX),
        .transport = EITHER("options.transport", NULL, "message"),
        .longest_message_bytes = EITHER("options.longest_message_bytes", 1000, 1001)};
}

static transrank_alltoall_options alltoall_options_given(void) {
    static int torus[2] = {1, 1};
    torus[0] = ranks;
    return (transrank_alltoall_options){
        .algorithm = EITHER("options.algorithm", NULL, "pairwise"),
        .choices = EITHER("options.choices", NULL, "choices"),
        .radix = EITHER("options.radix", 0, 3),
        .window = EITHER("options.window", 0, 9),
        .leaders = EITHER("options.leaders", 0, 3),
        .ranks_per_node = EITHER("options.ranks_per_node", 0, 1),
        .torus = EITHER("options.torus", torus, NULL),
        .torus_dimensions = EITHER("options.torus_dimensions", 1, 2)};
}

static transrank_rows rows_given(void) {
    return (transrank_rows){.count = 4,
                            .length = EITHER("rows.length", 2, 1),
                            .offsets = EITHER("rows.offsets", NULL, list),
                            .element_bytes = EITHER("rows.element_bytes", 8, 4),
                            .scalar = EITHER("rows.scalar", TRANSRANK_OPAQUE, TRANSRANK_INT32),
                            .data = numbers,
                            .data_bytes = sizeof numbers};
}

static int differ_numbering(void) {
    transrank_numbering* made = NULL;
    const int status = transrank_numbering_create(MPI_COMM_WORLD, 4, EITHER("table", 0, 1), &made);
    OK(transrank_numbering_free(&made));
    return status;
}

#define DIFFERING_ROUTE(name, call)      \
    static int name(void) {              \
        transrank_route* made = NULL;    \
        const int status = (call);       \
        OK(transrank_route_free(&made)); \
        return status;                   \
    }
DIFFERING_ROUTE(differ_halo, transrank_route_halo(MPI_COMM_WORLD, EITHER("grid", grid, other_grid),
                                                  EITHER("corners", 0, 1), &made))
DIFFERING_ROUTE(differ_redistribution,
                transrank_route_redistribution(MPI_COMM_WORLD, EITHER("source", grid, other_grid),
                                               EITHER("destination", grid, other_grid),
                                               EITHER("coverage", 0, 1), &made))
DIFFERING_ROUTE(differ_ghost_pull,
                transrank_route_ghost_pull(MPI_COMM_WORLD,
                                           EITHER("numbering", numbering, other_numbering), 1, list,
                                           0, 1, &made))
DIFFERING_ROUTE(differ_ghost_push,
                transrank_route_ghost_push(MPI_COMM_WORLD,
                                           EITHER("numbering", numbering, other_numbering), 1, list,
                                           targets, 0, &made))

DIFFERING_ROUTE(differ_alltoallv,
                transrank_route_alltoallv(MPI_COMM_WORLD, list, list, list, list, &made))
DIFFERING_ROUTE(differ_load, transrank_route_load(MPI_COMM_WORLD, ".", &made))

static int differ_save(void) {
    return transrank_route_save(MPI_COMM_WORLD, EITHER("route", route, other_route), ".");
}

static int differ_bind(void) {
    transrank_exchange* made = NULL;
    transrank_field fields[2] = {
        {.source = numbers,
         .source_bytes = 128,
         .destination = &numbers[32],
         .destination_bytes = 128,
         .unit_bytes = EITHER("fields.unit_bytes", 8, 16),
         .scalar = EITHER("fields.scalar", TRANSRANK_FLOAT64, TRANSRANK_INT64)}};
    fields[1] = fields[0];
    fields[1].destination = &numbers[48];
    const transrank_options options = options_given();
    const int status = transrank_exchange_bind(MPI_COMM_WORLD, EITHER("route", route, other_route),
                                               EITHER("count", 2, 1), fields, &options, &made);
    OK(transrank_exchange_free(&made));
    return status;
}

/// The status of making an update or, if that is all right, of binding it.
static int bound(int status, transrank_ghost_update** made) {
    transrank_exchange* exchange_of_it = NULL;
    if (status == TRANSRANK_OK) {
        status = transrank_ghost_update_bind(MPI_COMM_WORLD, *made, TRANSRANK_PULL, NULL,
                                             &exchange_of_it);
    }
    OK(transrank_exchange_free(&exchange_of_it));
    OK(transrank_ghost_update_free(made));
    return status;
}

#define DIFFERING_UPDATE(name, call)              \
    static int name(void) {                       \
        transrank_ghost_update* made = NULL;      \
        const transrank_rows rows = rows_given(); \
        const int status = (call);                \
        return bound(status, &made);              \
    }
DIFFERING_UPDATE(differ_update_pull,
                 transrank_ghost_update_pull(MPI_COMM_WORLD, &rows, 1, list, &made))
DIFFERING_UPDATE(differ_update_push,
                 transrank_ghost_update_push(MPI_COMM_WORLD, &rows, 1, list, targets, &made))
DIFFERING_UPDATE(differ_update_along,
                 transrank_ghost_update_along(MPI_COMM_WORLD, &rows,
                                              EITHER("route", route, other_route), &made))
DIFFERING_UPDATE(differ_update_like,
                 transrank_ghost_update_like(MPI_COMM_WORLD, &rows,
                                             EITHER("other", update, other_update), &made))

static int differ_update_bind(void) {
    transrank_exchange* made = NULL;
    const transrank_options options = options_given();
    const int status = transrank_ghost_update_bind(
        MPI_COMM_WORLD, EITHER("update", update, other_update),
        EITHER("direction", TRANSRANK_PUSH, TRANSRANK_PULL), &options, &made);
    OK(transrank_exchange_free(&made));
    return status;
}

static int differ_alltoall(void) {
    const transrank_alltoall_options options = alltoall_options_given();
    return transrank_alltoall(MPI_COMM_WORLD, numbers, EITHER("receive", &numbers[32], numbers),
                              EITHER("block_bytes", 8, 16), &options);
}

static int differ_alltoall_bind(void) {
    transrank_exchange* made = NULL;
    const transrank_alltoall_options options = alltoall_options_given();
    const int status =
        transrank_alltoall_bind(MPI_COMM_WORLD, numbers, EITHER("receive", &numbers[32], numbers),
                                EITHER("block_bytes", 8, 16), &options, &made);
    OK(transrank_exchange_free(&made));
    return status;
}

static int differ_alltoallv_bind(void) {
    transrank_exchange* made = NULL;
    const transrank_alltoall_options options = alltoall_options_given();
    const int status = transrank_alltoallv_bind(MPI_COMM_WORLD, numbers, list, list, &numbers[32],
                                                list, list, &options, &made);
    OK(transrank_exchange_free(&made));
    return status;
}

#define OPTIONS "options.operation options.transport options.longest_message_bytes"
#define ROWS_OF_ALL "rows.length rows.offsets rows.element_bytes rows.scalar"
#define ALLTOALL_OPTIONS                                                              \
    "options.algorithm options.choices options.radix options.window options.leaders " \
    "options.ranks_per_node options.torus options.torus_dimensions"

static const struct {
    const char* name;
    int (*call)(void);
    const char* arguments;
} agreed_calls[] = {
    {"numbering_create", differ_numbering, "table"},
    {"route_halo", differ_halo, "grid corners"},
    {"route_redistribution", differ_redistribution, "source destination coverage"},
    {"route_ghost_pull", differ_ghost_pull, "numbering"},
    {"route_ghost_push", differ_ghost_push, "numbering"},
    {"route_alltoallv", differ_alltoallv, ""},
    {"route_save", differ_save, "route"},
    {"route_load", differ_load, ""},
    {"exchange_bind", differ_bind, "route count fields.unit_bytes fields.scalar " OPTIONS},
    {"ghost_update_pull", differ_update_pull, ROWS_OF_ALL},
    {"ghost_update_push", differ_update_push, ROWS_OF_ALL},
    {"ghost_update_along", differ_update_along, "route " ROWS_OF_ALL},
    {"ghost_update_like", differ_update_like, "other " ROWS_OF_ALL},
    {"ghost_update_bind", differ_update_bind, "update direction " OPTIONS},
    {"alltoall", differ_alltoall, "receive block_bytes " ALLTOALL_OPTIONS},
    {"alltoall_bind", differ_alltoall_bind, "receive block_bytes " ALLTOALL_OPTIONS},
    {"alltoallv_bind", differ_alltoallv_bind, ALLTOALL_OPTIONS},
};
enum { AGREED_CALLS = sizeof agreed_calls / sizeof agreed_calls[0] };

static void make_others(void) {
    const int64_t one[1] = {1};
    const transrank_rows rows = rows_of(RIGHT);
    const transrank_halo around = {.low = 1, .high = 1};
    const transrank_grid_options options = {.halo = &around};
    transrank_distribution* even = NULL;
    OK(transrank_distribution_even(4L * ranks, ranks, &even));
    const transrank_distribution* const along[1] = {even};
    OK(transrank_layout_grid(1, along, &options, &other_grid));
    OK(transrank_distribution_free(&even));
    OK(transrank_numbering_create(MPI_COMM_WORLD, 4 + rank, 0, &other_numbering));
    OK(transrank_route_ghost_pull(MPI_COMM_WORLD, numbering, 1, one, 0, 1, &other_route));
    OK(transrank_ghost_update_pull(MPI_COMM_WORLD, &rows, 1, one, &other_update));
}

/// Rank 1 makes one call and rank 0 another; then one of the two is the call of all others.
static void make_different_calls(void) {
    for (trial = 0; trial < 2 * AGREED_CALLS * AGREED_CALLS; ++trial) {
        const int one = trial / 2 % AGREED_CALLS;
        const int other = trial / 2 / AGREED_CALLS;
        const int alone = trial % 2;
        if (one == other) {
            continue;
        }
        char expected[200];
        snprintf(expected, sizeof expected,
                 "rank 1 calls transrank_%s, rank 0 transrank_%s: ", agreed_calls[one].name,
                 agreed_calls[other].name);
        const int status = agreed_calls[(rank == alone) == (alone == 1) ? one : other].call();
        CHECK(status == TRANSRANK_ERROR_AGREED);
        CHECK(strstr(transrank_error_text(), expected) == transrank_error_text());
    }
}

/// Each argument by which ranks may not differ, on each rank, and the number of pairs of a call and
/// an argument.
static void differ_in_one_argument(void) {
    int pairs = 0;
    make_others();
    for (int i = 0; i < AGREED_CALLS; ++i) {
        char words[300];
        snprintf(words, sizeof words, "%s", agreed_calls[i].arguments);
        OK(agreed_calls[i].call());
        for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " "), ++pairs) {
            for (int bad = 0; bad < ranks; ++bad) {
                trial = (1000 * i) + bad;
                differing = rank == bad ? word : "";
                const int status = agreed_calls[i].call();
                if (status != TRANSRANK_ERROR_AGREED) {
                    fprintf(stderr, "%s differs in %s: %d\n", agreed_calls[i].name, word, status);
                }
                check_agreed(status, agreed_calls[i].name, RIGHT);
            }
            differing = "";
        }
    }
    if (rank == 0) {
        printf("%d pairs\n", pairs);
    }
    if (ranks <= 3) {
        make_different_calls();
    }
    OK(transrank_ghost_update_free(&other_update));
    OK(transrank_route_free(&other_route));
    OK(transrank_numbering_free(&other_numbering));
    OK(transrank_layout_free(&other_grid));
}

static void misuse_local_calls(void) {
    const int refused = TRANSRANK_ERROR_ARGUMENT;
    int64_t value = 0;
    int number = 0;
    void* memory = numbers;
    transrank_distribution* even = NULL;
    transrank_distribution* wrong = NULL;
    transrank_layout* layout = NULL;
    transrank_layout* points = NULL;
    transrank_exchange* none = NULL;
    OK(transrank_distribution_even(8, 2, &even));
    CHECK(transrank_distribution_even(-1, 2, &wrong) == refused && wrong == NULL);
    CHECK(transrank_distribution_even(8, 2, NULL) == refused);
    CHECK(transrank_distribution_irregular(2, NULL, &wrong) == refused);
    CHECK(transrank_distribution_irregular(-2, list, &wrong) == refused);
    CHECK(transrank_distribution_owned(even, 2, &value) == refused);
    CHECK(transrank_distribution_owned(even, 0, NULL) == refused);
    CHECK(transrank_distribution_owned((void*)grid, 0, &value) == refused);
    CHECK(strstr(transrank_error_text(), "instead of a distribution the call got a layout"));
    CHECK(transrank_distribution_owner(even, 8, &number, &value) == refused);
    const transrank_distribution* const two[2] = {even, NULL};
    CHECK(transrank_layout_grid(2, two, NULL, &layout) == refused && layout == NULL);
    CHECK(transrank_layout_grid(7, two, NULL, &layout) == refused);
    CHECK(transrank_layout_grid(1, NULL, NULL, &layout) == refused);
    OK(transrank_layout_points(1, list, 0, &points));
    CHECK(transrank_layout_points(1, list, 2, &layout) == refused);
    CHECK(transrank_layout_local(points, 0, NULL, NULL, &value) == refused);
    OK(transrank_layout_free(&points));
    OK(transrank_distribution_free(&even));
    CHECK(transrank_distribution_free(NULL) == refused);
    CHECK(transrank_shared_alloc(-1, &memory) == refused && memory == NULL);
    CHECK(transrank_shared_alloc(INT64_MAX, &memory) == TRANSRANK_ERROR_RESOURCES);
    memory = numbers;
    CHECK(transrank_shared_free(&memory) == refused);
    int64_t lengths[TRANSRANK_MAX_DIMENSIONS] = {0};
    CHECK(transrank_route_shapes(NULL, &number, lengths, NULL, NULL) == refused);
    transrank_route* of_grid = NULL;
    OK(transrank_route_halo(MPI_COMM_WORLD, grid, 0, &of_grid));
    OK(transrank_route_shapes(of_grid, &number, NULL, NULL, lengths));
    CHECK(number == 1 && lengths[0] == 6);
    OK(transrank_route_free(&of_grid));
    OK(transrank_route_shapes(route, NULL, NULL, &number, lengths));
    CHECK(number == 0 && lengths[0] == 6);
    CHECK(transrank_exchange_start(NULL) == refused);
    CHECK(transrank_exchange_wait((void*)route) == refused);
    CHECK(transrank_exchange_test(exchange, NULL) == refused);
    CHECK(transrank_exchange_free((void*)&freed_route) == refused);
    CHECK(strstr(transrank_error_text(), "that was freed; free it after its last use"));
    CHECK(transrank_exchange_bind(MPI_COMM_NULL, route, 0, NULL, NULL, &none) == refused);
    CHECK(transrank_numbering_create_f(MPI_Comm_c2f(MPI_COMM_NULL), 1, 0, &numbering) == refused);
}

// Wrong orders break an exchange, for the peers too.
static void break_exchanges(void) {
    transrank_exchange* bound = NULL;
    const char* text = NULL;
    const transrank_field field = {.source = numbers,
                                   .source_bytes = 256,
                                   .destination = &numbers[32],
                                   .destination_bytes = 256,
                                   .unit_bytes = 8};
    int64_t ones[8];
    int64_t places[8];
    transrank_route* all = NULL;
    for (int r = 0; r < ranks; ++r) {
        ones[r] = 1;
        places[r] = r;
    }
    OK(transrank_route_alltoallv(MPI_COMM_WORLD, ones, places, ones, places, &all));
    OK(transrank_exchange_bind(MPI_COMM_WORLD, all, 1, &field, NULL, &bound));
    OK(transrank_exchange_explain(bound, &text));
    CHECK(strstr(text, "transport") != NULL);
    int status = rank == 0 ? transrank_exchange_wait(bound) : transrank_exchange_run(bound);
    CHECK(status == (rank == 0 ? TRANSRANK_ERROR_MISUSE : TRANSRANK_ERROR_BROKEN));
    OK(transrank_exchange_free(&bound));
    OK(transrank_exchange_bind_f(MPI_Comm_c2f(MPI_COMM_WORLD), all, 1, &field, NULL, &bound));
    status = rank == ranks - 1 ? transrank_exchange_abandon(bound, "no room for it")
                               : transrank_exchange_run(bound);
    CHECK(status == (rank == ranks - 1 ? TRANSRANK_ERROR_MISUSE : TRANSRANK_ERROR_BROKEN));
    CHECK(rank != ranks - 1 || strcmp(transrank_error_text(), "no room for it") == 0);
    OK(transrank_exchange_free(&bound));
    OK(transrank_route_free(&all));
}

// What one rank has found wrong before the call is the error of all, once.
static void refuse_the_next_call(void) {
    transrank_route* made = NULL;
    if (rank == ranks - 1) {
        OK(transrank_refuse("there is no such halo"));
    }
    CHECK(transrank_route_halo(MPI_COMM_WORLD, grid, 0, &made) == TRANSRANK_ERROR_AGREED);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d: there is no such halo", ranks - 1);
    CHECK(made == NULL && strcmp(transrank_error_text(), expected) == 0);
    OK(transrank_route_halo(MPI_COMM_WORLD, grid, 0, &made));
    OK(transrank_route_free(&made));
    // A call that reaches no other rank is the next one, too.
    CHECK(transrank_refuse(NULL) == TRANSRANK_ERROR_ARGUMENT);
    OK(transrank_refuse("there is no such halo"));
    CHECK(transrank_route_halo(MPI_COMM_NULL, grid, 0, &made) == TRANSRANK_ERROR_ARGUMENT);
    OK(transrank_route_halo(MPI_COMM_WORLD, grid, 0, &made));
    OK(transrank_route_free(&made));
}

// No communicator of the call's ranks alone is taken for that of an update, none of two groups.
static void pass_other_communicators(void) {
    MPI_Comm half = MPI_COMM_NULL;
    transrank_exchange* bound = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    CHECK(transrank_ghost_update_bind(half, update, TRANSRANK_PULL, NULL, &bound) ==
          TRANSRANK_ERROR_AGREED);
    CHECK(strstr(transrank_error_text(), "another communicator") != NULL);
    if (ranks > 1) {
        MPI_Comm both = MPI_COMM_NULL;
        transrank_numbering* made = NULL;
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - (rank % 2), 1, &both);
        CHECK(transrank_numbering_create(both, 4, 0, &made) == TRANSRANK_ERROR_ARGUMENT);
        CHECK(strstr(transrank_error_text(), "intercommunicator") != NULL);
        MPI_Comm_free(&both);
    }
    MPI_Comm_free(&half);
}

// Whatever is made and freed since, a freed handle stays one.
static void use_freed_handles(void) {
    transrank_distribution* stale = NULL;
    transrank_numbering* stale_numbering = NULL;
    transrank_exchange* stale_exchange = NULL;
    transrank_distribution* other = NULL;
    transrank_route* made = NULL;
    int64_t count = 0;
    OK(transrank_distribution_even(5, 1, &stale));
    OK(transrank_numbering_create(MPI_COMM_WORLD, 4, 0, &stale_numbering));
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PULL, NULL, &stale_exchange));
    transrank_distribution* freed = stale;
    transrank_numbering* freed_numbering = stale_numbering;
    transrank_exchange* freed_exchange = stale_exchange;
    OK(transrank_distribution_free(&freed));
    OK(transrank_numbering_free(&freed_numbering));
    OK(transrank_exchange_free(&freed_exchange));
    for (trial = 0; trial < 5000; ++trial) {
        OK(transrank_distribution_even(2025, 1, &other));
        CHECK(other != stale && (void*)other != (void*)stale_numbering);
        OK(transrank_distribution_free(&other));
    }
    OK(transrank_distribution_even(2025, 1, &other));
    const int refused = TRANSRANK_ERROR_ARGUMENT;
    CHECK(transrank_distribution_owned(stale, 0, &count) == refused);
    CHECK(strstr(transrank_error_text(), "that was freed; free it after its last use"));
    CHECK(transrank_distribution_free(&stale) == refused);
    CHECK(transrank_exchange_run(stale_exchange) == refused);
    CHECK(transrank_route_ghost_pull(MPI_COMM_WORLD, stale_numbering, 1, list, 0, 1, &made) ==
          TRANSRANK_ERROR_AGREED);
    CHECK(transrank_exchange_run((void*)numbers) == refused);
    OK(transrank_distribution_owned(other, 0, &count));
    CHECK(count == 2025);
    OK(transrank_distribution_free(&other));
    // Of memory, too, where it has a handle: the address is used again.
    transrank_memory* memory = NULL;
    void* first = NULL;
    void* second = NULL;
    OK(transrank_shared_alloc_f(1 << 23, &first, &memory));
    transrank_memory* copy = memory;
    OK(transrank_shared_free_f(&memory));
    OK(transrank_shared_alloc_f(1 << 23, &second, &memory));
    CHECK(transrank_shared_free_f(&copy) == refused);
    memset(second, 1, 1 << 23);
    OK(transrank_shared_free_f(&memory));
}

// The value, and what may be given.
static void name_block_lengths(void) {
    transrank_exchange* made = NULL;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "ranks; give 0 to %" PRId64, INT64_MAX / ranks);
    const int64_t lengths[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / ranks + 1};
    for (int i = 0; i < 4; ++i) {
        if (ranks == 1 && lengths[i] > 0) {
            continue;
        }
        for (int bad = 0; bad < 2; ++bad) {  // the last rank, then all
            char expected[64];
            snprintf(expected, sizeof expected, "with blocks of %" PRId64 " bytes", lengths[i]);
            const int64_t bytes = bad == 1 || rank == ranks - 1 ? lengths[i] : 8;
            CHECK(transrank_alltoall_bind(MPI_COMM_WORLD, numbers, &numbers[32], bytes, NULL,
                                          &made) == TRANSRANK_ERROR_AGREED);
            CHECK(strstr(transrank_error_text(), expected) != NULL);
            CHECK(strstr(transrank_error_text(), allowed) != NULL);
        }
    }
}

// What an exchange is bound to stays until the exchange is freed.
static void free_what_is_bound(void) {
    void* memory = NULL;
    transrank_exchange* bound = NULL;
    OK(transrank_shared_alloc(4096, &memory));
    const transrank_field field = {.source = memory,
                                   .source_bytes = 2048,
                                   .destination = (char*)memory + 2048,
                                   .destination_bytes = 2048,
                                   .unit_bytes = 8};
    OK(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &field, NULL, &bound));
    OK(transrank_shared_free(&memory));
    CHECK(memory == NULL);
    OK(transrank_exchange_run(bound));
    OK(transrank_exchange_free(&bound));
}

int main(int argc, char** argv) {
    CHECK(transrank_numbering_create(MPI_COMM_WORLD, 4, 0, &numbering) == TRANSRANK_ERROR_MISUSE);
    CHECK(strstr(transrank_error_text(), "MPI_Init") != NULL);
    begin(&argc, &argv);
    const transrank_halo around = {.low = 1, .high = 1, .periodic = 1};
    const transrank_grid_options options = {.halo = &around};
    transrank_distribution* even = NULL;
    OK(transrank_distribution_even(4L * ranks, ranks, &even));
    const transrank_distribution* const along[1] = {even};
    OK(transrank_layout_grid(1, along, &options, &grid));
    OK(transrank_numbering_create(MPI_COMM_WORLD, 4, 0, &numbering));
    // From 4 owned rows to one ghost.
    OK(transrank_route_ghost_pull(MPI_COMM_WORLD, numbering, 1, list, 0, 1, &route));
    const transrank_rows rows = rows_of(RIGHT);
    OK(transrank_ghost_update_pull(MPI_COMM_WORLD, &rows, 1, list, &update));
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PULL, NULL, &exchange));
    transrank_route* to_free = NULL;
    OK(transrank_route_transposed(route, &to_free));
    freed_route = to_free;
    OK(transrank_route_free(&to_free));
    OK(transrank_route_free(&to_free));

    misuse_local_calls();
    OK(transrank_numbering_create(MPI_COMM_WORLD, 4, 0, &numbering));
    misuse_collective_calls();
    if (ranks > 1) {
        differ_in_one_argument();
    }
    break_exchanges();
    refuse_the_next_call();
    free_what_is_bound();
    use_freed_handles();
    name_block_lengths();
    pass_other_communicators();
    OK(transrank_exchange_run(exchange));
    MPI_Finalize();
    CHECK(transrank_exchange_run(exchange) == TRANSRANK_ERROR_MISUSE);
    transrank_exchange* late = NULL;
    CHECK(transrank_exchange_bind(MPI_COMM_WORLD, route, 0, NULL, NULL, &late) ==
          TRANSRANK_ERROR_MISUSE);
    OK(transrank_exchange_free(&exchange));
    OK(transrank_ghost_update_free(&update));
    OK(transrank_route_free(&route));
    OK(transrank_layout_free(&grid));
    OK(transrank_distribution_free(&even));
    OK(transrank_numbering_free(&numbering));
    return 0;
}
