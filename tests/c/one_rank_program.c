// SPDX-License-Identifier: BSD-3-Clause
// One rank passes something wrong to a collective call: all ranks get one error, and nobody waits.
// What is not collective is refused where it is called.
#include "testing.h"

// For Fortran, so not in the header.
int transrank_numbering_create_f(MPI_Fint comm, int64_t owned, int table, transrank_numbering** it);
int transrank_exchange_bind_f(MPI_Fint comm, const transrank_route* route, int count,
                              const transrank_field* fields, const transrank_options* options,
                              transrank_exchange** exchange);

struct Objects {
    transrank_numbering* numbering;
    transrank_layout* grid;
    transrank_route* route;  // from 4 owned rows to one ghost
    transrank_ghost_update* update;
};
static struct Objects these;
static struct Objects others;  // as good in themselves
static transrank_exchange* exchange = NULL;
static double numbers[64];
static transrank_route* freed_route = NULL;

static void* const not_made = &numbers;  // what a handle is before a call that fails
static const int64_t list[8] = {0, 0, 0, 0, 0, 0, 0, 0};
static const int targets[8] = {0, 0, 0, 0, 0, 0, 0, 0};

/// What is wrong on this rank: "ARGUMENT" is another value, as good in itself, "ARGUMENT:WHY" one
/// that no rank may pass.
static const char* wrong = "";

#define IS(what) (strcmp(wrong, what) == 0)
#define EITHER(argument, right, other) (IS(argument) ? (other) : (right))
#define CHOICE(argument, right, other) \
    (IS(argument ":unknown") ? 77 : EITHER(argument, right, other))
#define LIST(argument, right) (IS(argument ":null") ? NULL : (right))
#define PLACE(handle) LIST("made", &(handle))
#define NUMBER(argument, right) \
    (IS(argument ":negative") ? -1 : IS(argument ":huge") ? INT64_MAX : (right))
#define HANDLE(argument, right, other)            \
    (IS(argument ":null")    ? NULL               \
     : IS(argument ":freed") ? (void*)freed_route \
     : IS(argument ":kind")  ? (void*)exchange    \
                             : (void*)EITHER(argument, right, other))

static transrank_options options_given(void) {
    return (transrank_options){
        .operation = CHOICE("options.operation", TRANSRANK_ADD, TRANSRANK_MAX),
        .transport = IS("options.transport:unknown") ? "nosuch"
                                                     : EITHER("options.transport", NULL, "message"),
        .longest_message_bytes = NUMBER("options.longest_message_bytes",
                                        EITHER("options.longest_message_bytes", 1000, 1001)),
        .any_memory = EITHER("options.any_memory", 0, 1),
        .sets = IS("options.sets:negative") ? -1 : EITHER("options.sets", 1, 2),
        .together = EITHER("options.together", 0, 1)};
}

static transrank_alltoall_options alltoall_options_given(void) {
    static int torus[2] = {1, 1};
    torus[0] = ranks;
    return (transrank_alltoall_options){
        .algorithm = IS("options.algorithm:unknown")
                         ? "nosuch"
                         : EITHER("options.algorithm", NULL, "pairwise"),
        .choices = EITHER("options.choices", NULL, "choices"),
        .radix = EITHER("options.radix", 0, 3),
        .window = EITHER("options.window", 0, 9),
        .leaders = EITHER("options.leaders", 0, 3),
        .ranks_per_node = EITHER("options.ranks_per_node", 0, 1),
        .torus = EITHER("options.torus", torus, NULL),
        .torus_dimensions =
            IS("options.torus_dimensions:negative") ? -1 : EITHER("options.torus_dimensions", 1, 2),
        .any_memory = EITHER("options.any_memory", 0, 1)};
}

static transrank_rows rows_given(void) {
    return (transrank_rows){
        .count = NUMBER("rows.count", 4),
        .length = NUMBER("rows.length", EITHER("rows.length", 2, 1)),
        .offsets = EITHER("rows.offsets", NULL, list),
        .element_bytes = EITHER("rows.element_bytes", 8, 4),
        .scalar = IS("rows.element_bytes")
                      ? TRANSRANK_INT32
                      : CHOICE("rows.scalar", TRANSRANK_INT64, TRANSRANK_OPAQUE),
        .data = LIST("rows.data", numbers),
        .data_bytes = sizeof numbers};
}

/// Of a call that makes something: what it makes is freed.
#define MAKING(name, kind, call, use, free)                                   \
    static int name(void) {                                                   \
        transrank_##kind* made = not_made;                                    \
        const transrank_rows rows = rows_given();                             \
        const transrank_options options = options_given();                    \
        const transrank_alltoall_options of_all = alltoall_options_given();   \
        int status = (call);                                                  \
        (void)rows, (void)options, (void)of_all;                              \
        CHECK(IS("made:null") || (status == TRANSRANK_OK) == (made != NULL)); \
        status = status == TRANSRANK_OK ? (use) : status;                     \
        OK(made == not_made ? TRANSRANK_OK : free(&made));                    \
        return status;                                                        \
    }

MAKING(numbering_create, numbering,
       transrank_numbering_create(MPI_COMM_WORLD, NUMBER("owned", 4), EITHER("table", 0, 1),
                                  PLACE(made)),
       status, transrank_numbering_free)

#define ROUTE(name, call) MAKING(name, route, call, status, transrank_route_free)
ROUTE(halo, transrank_route_halo(MPI_COMM_WORLD, HANDLE("grid", these.grid, others.grid),
                                 CHOICE("corners", 0, 1), PLACE(made)))
ROUTE(redistribution,
      transrank_route_redistribution(MPI_COMM_WORLD, HANDLE("source", these.grid, others.grid),
                                     HANDLE("destination", these.grid, others.grid),
                                     CHOICE("coverage", 0, 1), PLACE(made)))
ROUTE(ghost_pull,
      transrank_route_ghost_pull(MPI_COMM_WORLD,
                                 HANDLE("numbering", these.numbering, others.numbering),
                                 NUMBER("count", 1), LIST("ghosts", list), 0, 1, PLACE(made)))
ROUTE(ghost_pull_at,
      transrank_route_ghost_pull_at(MPI_COMM_WORLD,
                                    HANDLE("numbering", these.numbering, others.numbering),
                                    NUMBER("count", 1), LIST("ghosts", list), LIST("places", list),
                                    1, PLACE(made)))
ROUTE(ghost_push, transrank_route_ghost_push(MPI_COMM_WORLD,
                                             HANDLE("numbering", these.numbering, others.numbering),
                                             NUMBER("count", 1), LIST("rows", list),
                                             LIST("targets", targets), 0, PLACE(made)))
ROUTE(alltoallv, transrank_route_alltoallv(MPI_COMM_WORLD, list, LIST("send_displacements", list),
                                           list, list, PLACE(made)))
ROUTE(load, transrank_route_load(MPI_COMM_WORLD, LIST("place", "."), PLACE(made)))

static int save(void) {
    return transrank_route_save(MPI_COMM_WORLD, HANDLE("route", these.route, others.route),
                                LIST("place", "."));
}

/// The status of binding an update: some of what ranks agree on is looked at then.
static int bound(const transrank_ghost_update* made) {
    transrank_exchange* exchange_of_it = NULL;
    const int status = transrank_ghost_update_bind(MPI_COMM_WORLD, (void*)made, TRANSRANK_PULL,
                                                   NULL, &exchange_of_it);
    OK(transrank_exchange_free(&exchange_of_it));
    return status;
}

#define UPDATE(name, call) \
    MAKING(name, ghost_update, call, bound(made), transrank_ghost_update_free)
UPDATE(update_pull, transrank_ghost_update_pull(MPI_COMM_WORLD, LIST("rows", &rows), 1,
                                                LIST("ghosts", list), PLACE(made)))
UPDATE(update_push, transrank_ghost_update_push(MPI_COMM_WORLD, LIST("rows", &rows), 1,
                                                LIST("pushed", list), targets, PLACE(made)))
UPDATE(update_along,
       transrank_ghost_update_along(MPI_COMM_WORLD, &rows,
                                    HANDLE("route", these.route, others.route), PLACE(made)))
UPDATE(update_like,
       transrank_ghost_update_like(MPI_COMM_WORLD, &rows,
                                   HANDLE("other", these.update, others.update), PLACE(made)))

static int bind_fields(transrank_exchange** made, const transrank_options* options) {
    const int64_t bytes = NUMBER("fields.source_bytes", 64);
    const transrank_dimension along[2] = {
        {.count = NUMBER("dimension.count", 4),
         .stride_bytes = EITHER("dimension:far", -64, INT64_MIN / 2)},
        {.count = 2, .stride_bytes = EITHER("dimension:overlapping", 8, 4)}};
    const transrank_view view = {
        .count = IS("view.count:negative") ? -1 : 2,
        .dimensions = LIST("view.dimensions", along),
        .element_bytes = NUMBER("view.element_bytes", EITHER("view.element_bytes:zero", 8, 0))};
    transrank_field fields[4] = {
        {.source = LIST("fields.source", numbers),
         .source_bytes = bytes,
         .destination = &numbers[32 + 24],
         .destination_bytes = bytes - EITHER("view:longer", 0, 16),
         .unit_bytes = NUMBER("fields.unit_bytes", EITHER("fields.unit_bytes", 8, 16)),
         .scalar = CHOICE("fields.scalar", TRANSRANK_FLOAT64, TRANSRANK_INT64),
         .destination_view = &view}};
    fields[1] = fields[0];
    fields[1].destination = &numbers[32 + 24 + 2];
    memcpy(&fields[2], fields, 2 * sizeof fields[0]);
    fields[3].unit_bytes += EITHER("options.sets:unlike", 0, 8);
    const int count = IS("count:negative") ? -1 : EITHER("count", 2, 1);
    return transrank_exchange_bind(MPI_COMM_WORLD, HANDLE("route", these.route, others.route),
                                   count, fields, options, made);
}

#define EXCHANGE(name, call) MAKING(name, exchange, call, status, transrank_exchange_free)
EXCHANGE(bind, bind_fields(PLACE(made), &options))
EXCHANGE(update_bind,
         transrank_ghost_update_bind(MPI_COMM_WORLD, HANDLE("update", these.update, others.update),
                                     CHOICE("direction", TRANSRANK_PUSH, TRANSRANK_PULL), &options,
                                     PLACE(made)))
EXCHANGE(alltoall_bind,
         transrank_alltoall_bind(MPI_COMM_WORLD, numbers, EITHER("receive", &numbers[32], numbers),
                                 NUMBER("block_bytes", EITHER("block_bytes", 8, 16)), &of_all,
                                 PLACE(made)))

static const int64_t negative[8] = {-1};
EXCHANGE(alltoallv_bind,
         transrank_alltoallv_bind(MPI_COMM_WORLD, numbers,
                                  IS("send_bytes:negative") ? negative : list,
                                  LIST("send_offsets", list), &numbers[32], list,
                                  LIST("receive_offsets", list), &of_all, PLACE(made)))

static int alltoall(void) {
    const transrank_alltoall_options options = alltoall_options_given();
    return transrank_alltoall(MPI_COMM_WORLD, LIST("send", numbers),
                              EITHER("receive", &numbers[32], numbers),
                              NUMBER("block_bytes", EITHER("block_bytes", 8, 16)), &options);
}

// Of a grid, 6 cells on each rank.
static int bind_to_grid(void) {
    transrank_exchange* made = NULL;
    transrank_route* of_grid = NULL;
    const int64_t right = 6 * (int64_t)sizeof numbers[0];
    const transrank_field field = {
        .source = numbers,
        .source_bytes = right + EITHER("source:longer", 0, 8) - EITHER("source:shorter", 0, 8),
        .destination = numbers,
        .destination_bytes =
            right + EITHER("destination:ragged", 0, 1) + EITHER("destination:longer", 0, 16),
        .unit_bytes = 8};
    OK(transrank_route_halo(MPI_COMM_WORLD, these.grid, 0, &of_grid));
    const int status = transrank_exchange_bind(MPI_COMM_WORLD, of_grid, 1, &field, NULL, &made);
    CHECK(!IS("source:longer") || strstr(transrank_error_text(),
                                         "the source has 56 bytes; the rank's array of this grid "
                                         "has shape (6), halo included"));
    OK(transrank_exchange_free(&made));
    OK(transrank_route_free(&of_grid));
    return status;
}

#define OPTIONS "options.operation options.transport options.longest_message_bytes options.together"
#define NO_VIEW                                                                          \
    "dimension.count:negative dimension.count:huge dimension:far dimension:overlapping " \
    "view.count:negative view.dimensions:null view.element_bytes:zero "                  \
    "view.element_bytes:negative "                                                       \
    "view.element_bytes:huge view:longer"
#define ROWS_OF_ALL "rows.length rows.offsets rows.element_bytes rows.scalar"
#define ALLTOALL_OPTIONS                                                              \
    "options.algorithm options.choices options.radix options.window options.leaders " \
    "options.ranks_per_node options.torus options.torus_dimensions"
#define NO(handle) handle ":null " handle ":freed " handle ":kind "
#define NO_ROWS "made:null rows.data:null rows.count:negative"
#define NOT_ANY_ROWS NO_ROWS " rows:null rows.length:huge rows.scalar:unknown"

/// Each call, the arguments in which ranks may not differ, and what no rank may pass.
static const struct {
    const char* name;
    int (*call)(void);
    const char* agreed;
    const char* wrong;
} calls[] = {
    {"numbering_create", numbering_create, "table", "owned:negative made:null"},
    {"route_halo", halo, "grid corners", NO("grid") "corners:unknown made:null"},
    {"route_redistribution", redistribution, "source destination coverage",
     NO("source") NO("destination") "coverage:unknown made:null"},
    {"route_ghost_pull", ghost_pull, "numbering",
     NO("numbering") "count:negative ghosts:null made:null"},
    {"route_ghost_pull_at", ghost_pull_at, "numbering",
     NO("numbering") "count:negative ghosts:null places:null made:null"},
    {"route_ghost_push", ghost_push, "numbering",
     NO("numbering") "count:negative rows:null targets:null made:null"},
    {"route_alltoallv", alltoallv, "", "send_displacements:null made:null"},
    {"route_save", save, "route", NO("route") "place:null"},
    {"route_load", load, "", "place:null made:null"},
    {"exchange_bind", bind,
     "route count fields.unit_bytes fields.scalar options.any_memory options.sets " OPTIONS,
     NO("route") NO_VIEW " options.sets:negative made:null fields.source:null "
                         "fields.source_bytes:negative fields.unit_bytes:huge "
                         "fields.scalar:unknown count:negative options.operation:unknown "
                         "options.transport:unknown "
                         "options.longest_message_bytes:negative"},
    {"ghost_update_pull", update_pull, ROWS_OF_ALL, NOT_ANY_ROWS " ghosts:null"},
    {"ghost_update_push", update_push, ROWS_OF_ALL, NOT_ANY_ROWS " pushed:null"},
    {"ghost_update_along", update_along, "route " ROWS_OF_ALL, NO("route") NO_ROWS},
    {"ghost_update_like", update_like, "other " ROWS_OF_ALL, NO("other") NO_ROWS},
    {"ghost_update_bind", update_bind, "update direction " OPTIONS,
     NO("update") "made:null options.operation:unknown direction:unknown options.any_memory "
                  "options.sets options.sets:negative"},
    {"alltoall", alltoall, "receive block_bytes " ALLTOALL_OPTIONS,
     "send:null block_bytes:negative block_bytes:huge options.algorithm:unknown "
     "options.torus_dimensions:negative"},
    {"alltoall_bind", alltoall_bind, "receive block_bytes options.any_memory " ALLTOALL_OPTIONS,
     "made:null block_bytes:negative"},
    {"alltoallv_bind", alltoallv_bind, "options.any_memory " ALLTOALL_OPTIONS,
     "made:null send_offsets:null send_bytes:negative receive_offsets:null"},
    {"exchange_bind of a grid", bind_to_grid, "",
     "source:longer source:shorter destination:ragged destination:longer"},
};
enum { CALLS = sizeof calls / sizeof calls[0], CALLS_BY_NAME = CALLS - 1 };

static void make_objects(struct Objects* made, int differs) {
    const int64_t ghost[1] = {differs};
    const transrank_rows rows = rows_given();
    const transrank_halo around = {.low = 1, .high = 1, .periodic = !differs};
    const transrank_grid_options options = {.halo = &around};
    transrank_distribution* even = NULL;
    OK(transrank_distribution_even(4L * ranks, ranks, &even));
    const transrank_distribution* const along[1] = {even};
    OK(transrank_layout_grid(1, along, &options, &made->grid));
    OK(transrank_distribution_free(&even));
    OK(transrank_numbering_create(MPI_COMM_WORLD, 4 + (differs * rank), 0, &made->numbering));
    OK(transrank_route_ghost_pull(MPI_COMM_WORLD, these.numbering, 1, ghost, 0, 1, &made->route));
    OK(transrank_ghost_update_pull(MPI_COMM_WORLD, &rows, 1, ghost, &made->update));
}

static void free_objects(struct Objects* made) {
    OK(transrank_ghost_update_free(&made->update));
    OK(transrank_route_free(&made->route));
    OK(transrank_layout_free(&made->grid));
    OK(transrank_numbering_free(&made->numbering));
}

static void check_agreed(int status, const char* name, const char* what) {
    enum { LONGEST = 1000 };
    char own[LONGEST];
    char first[LONGEST];
    if (status != TRANSRANK_ERROR_AGREED) {
        fprintf(stderr, "%s, %s: status %d\n", name, what, status);
    }
    CHECK(status == TRANSRANK_ERROR_AGREED);
    strncpy(own, transrank_error_text(), LONGEST - 1);
    own[LONGEST - 1] = '\0';
    memcpy(first, own, LONGEST);
    MPI_Bcast(first, LONGEST, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strlen(own) > 10 && strcmp(own, first) == 0);
}

/// Each rank in turn passes each of these to the call; returns how many they are.
static int spoil(int i, const char* all) {
    char words[800];
    int count = 0;
    snprintf(words, sizeof words, "%s", all);
    for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " "), ++count) {
        for (int bad = 0; bad < ranks; ++bad) {
            trial = (1000 * i) + (100 * bad) + count;
            wrong = rank == bad ? word : "";
            const int status = calls[i].call();
            wrong = "";
            check_agreed(status, calls[i].name, word);
        }
    }
    return count;
}

static void misuse_collective_calls(void) {
    int pairs = 0;
    for (int i = 0; i < CALLS; ++i) {
        OK(calls[i].call());
        pairs += ranks > 1 ? spoil(i, calls[i].agreed) : 0;
        spoil(i, calls[i].wrong);
        OK(calls[i].call());
    }
    if (rank == 0) {
        printf("%d pairs of a call and an argument by which ranks may not differ\n", pairs);
    }
}

/// Rank 1 makes one call and rank 0 another; then one of the two is the call of all others.
static void make_different_calls(void) {
    for (trial = 0; trial < 2 * CALLS_BY_NAME * CALLS_BY_NAME; ++trial) {
        const int one = trial / 2 % CALLS_BY_NAME;
        const int other = trial / 2 / CALLS_BY_NAME;
        const int alone = trial % 2;
        if (one == other) {
            continue;
        }
        char expected[200];
        snprintf(expected, sizeof expected,
                 "rank 1 calls transrank_%s, rank 0 transrank_%s: ", calls[one].name,
                 calls[other].name);
        const int status = calls[(rank == alone) == (alone == 1) ? one : other].call();
        CHECK(status == TRANSRANK_ERROR_AGREED);
        CHECK(strstr(transrank_error_text(), expected) == transrank_error_text());
    }
}

static void misuse_local_calls(void) {
    const int refused = TRANSRANK_ERROR_ARGUMENT;
    int64_t value = 0;
    int number = 0;
    void* memory = numbers;
    transrank_distribution* even = NULL;
    transrank_distribution* none_made = NULL;
    transrank_layout* layout = NULL;
    transrank_layout* points = NULL;
    transrank_exchange* none = NULL;
    transrank_numbering* unmade = NULL;
    OK(transrank_distribution_even(8, 2, &even));
    CHECK(transrank_distribution_even(-1, 2, &none_made) == refused && none_made == NULL);
    CHECK(transrank_distribution_even(8, 2, NULL) == refused);
    CHECK(transrank_distribution_irregular(2, NULL, &none_made) == refused);
    CHECK(transrank_distribution_irregular(-2, list, &none_made) == refused);
    CHECK(transrank_distribution_owned(even, 2, &value) == refused);
    CHECK(transrank_distribution_owned(even, 0, NULL) == refused);
    CHECK(transrank_distribution_owned((void*)these.grid, 0, &value) == refused);
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
    int64_t box[3] = {-1, -1, -1};
    OK(transrank_layout_box(these.grid, rank, box, &box[1]));
    CHECK(box[0] == 4L * rank && box[1] == box[0] + 4 && box[2] == -1);
    transrank_route* of_grid = NULL;
    OK(transrank_route_halo(MPI_COMM_WORLD, these.grid, 0, &of_grid));
    OK(transrank_route_shapes(of_grid, &number, NULL, NULL, lengths));
    CHECK(number == 1 && lengths[0] == 6);
    OK(transrank_route_free(&of_grid));
    OK(transrank_route_shapes(these.route, NULL, NULL, &number, lengths));
    CHECK(number == 0 && lengths[0] == 6);
    CHECK(transrank_exchange_start(NULL) == refused);
    CHECK(transrank_exchange_wait((void*)these.route) == refused);
    CHECK(transrank_exchange_test(exchange, NULL) == refused);
    CHECK(transrank_exchange_free((void*)&freed_route) == refused);
    CHECK(strstr(transrank_error_text(), "that was freed; free it after its last use"));
    CHECK(transrank_exchange_bind(MPI_COMM_NULL, these.route, 0, NULL, NULL, &none) == refused);
    CHECK(transrank_numbering_create_f(MPI_Comm_c2f(MPI_COMM_NULL), 1, 0, &unmade) == refused);
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

// What a start refuses has started nothing, and broken nothing.
static void refuse_starts(void) {
    enum { BOUND, SET, UNBOUND, SETS };
    const transrank_dimension along = {.count = ranks, .stride_bytes = 16};
    const transrank_view view = {.count = 1, .dimensions = &along, .element_bytes = 8};
    transrank_field fields[SETS];
    int64_t ones[8];
    int64_t places[8];
    transrank_route* all = NULL;
    for (int i = 0; i < SETS; ++i) {
        fields[i] = (transrank_field){.source = numbers,
                                      .source_bytes = (int64_t)sizeof numbers[0] * ranks,
                                      .destination = &numbers[16 * (i + 1)],
                                      .destination_bytes = (int64_t)sizeof numbers[0] * ranks,
                                      .unit_bytes = 8,
                                      .destination_view = &view};
    }
    for (int r = 0; r < ranks; ++r) {
        ones[r] = 1;
        places[r] = r;
    }
    OK(transrank_route_alltoallv(MPI_COMM_WORLD, ones, places, ones, places, &all));
    for (int any = 0; any < 2; ++any) {
        transrank_exchange* bound = NULL;
        const transrank_options options = {.any_memory = any, .sets = any ? 0 : 2};
        OK(transrank_exchange_bind(MPI_COMM_WORLD, all, 1, fields, &options, &bound));
        const transrank_dimension backwards = {.count = ranks, .stride_bytes = -16};
        const transrank_view other = {.count = 1, .dimensions = &backwards, .element_bytes = 8};
        transrank_field wrong_ones[] = {fields[SET], fields[SET], fields[SET], fields[SET],
                                        fields[SET], fields[SET], fields[SET]};
        wrong_ones[0].source = NULL;
        wrong_ones[1].unit_bytes = 4;
        wrong_ones[2].scalar = 77;
        wrong_ones[3].source_bytes += 8;
        wrong_ones[4].destination_view = ranks > 1 ? &other : NULL;
        wrong_ones[4].destination_bytes += ranks > 1 ? 0 : 8;
        wrong_ones[5].destination = &numbers[1];
        wrong_ones[5].source = &numbers[1];
        wrong_ones[6].destination = NULL;
        for (trial = 0; trial < 7; ++trial) {
            CHECK(transrank_exchange_start_with(bound, 1, &wrong_ones[trial]) ==
                  TRANSRANK_ERROR_ARGUMENT);
            CHECK(transrank_exchange_run_with(bound, 1, &wrong_ones[trial]) ==
                  TRANSRANK_ERROR_ARGUMENT);
        }
        CHECK(transrank_exchange_start_with(bound, 1, NULL) == TRANSRANK_ERROR_ARGUMENT);
        CHECK(transrank_exchange_start_with(bound, -1, fields) == TRANSRANK_ERROR_ARGUMENT);
        CHECK(transrank_exchange_start_with(bound, 2, fields) == TRANSRANK_ERROR_ARGUMENT);
        CHECK((any ? transrank_exchange_start(bound)
                   : transrank_exchange_run_with(bound, 1, &fields[UNBOUND])) ==
              TRANSRANK_ERROR_ARGUMENT);
        CHECK(strstr(transrank_error_text(), any ? "no arrays are given" : "not those that were"));
        for (int i = 0; i < 64; ++i) {
            numbers[i] = i < ranks ? 10 * rank + i : -1;
        }
        const int moved = any ? UNBOUND : SET;
        OK(transrank_exchange_run_with(bound, 1, &fields[moved]));
        for (int i = 0; i < 48; ++i) {
            const int got = i / 16 == moved && i % 2 == 0 && i % 16 / 2 < ranks;
            CHECK((int)numbers[16 + i] == (got ? 10 * (i % 16 / 2) + rank : -1));
        }
        OK(transrank_exchange_run_with(bound, 1, &fields[BOUND]));
        CHECK((int)numbers[16] == rank &&
              (int)numbers[16 + (2 * (ranks - 1))] == rank + 10 * (ranks - 1));
        OK(transrank_exchange_free(&bound));
    }
    CHECK(transrank_exchange_start_with(NULL, 1, fields) == TRANSRANK_ERROR_ARGUMENT);
    CHECK(transrank_exchange_run_with(exchange, 1, fields) == TRANSRANK_ERROR_ARGUMENT);
    OK(transrank_route_free(&all));
}

// What one rank has found wrong before the call is the error of all, once.
static void refuse_the_next_call(void) {
    transrank_route* made = NULL;
    if (rank == ranks - 1) {
        OK(transrank_refuse("there is no such halo"));
    }
    CHECK(transrank_route_halo(MPI_COMM_WORLD, these.grid, 0, &made) == TRANSRANK_ERROR_AGREED);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d: there is no such halo", ranks - 1);
    CHECK(made == NULL && strcmp(transrank_error_text(), expected) == 0);
    OK(transrank_route_halo(MPI_COMM_WORLD, these.grid, 0, &made));
    OK(transrank_route_free(&made));
    // A call that reaches no other rank is the next one, too.
    CHECK(transrank_refuse(NULL) == TRANSRANK_ERROR_ARGUMENT);
    OK(transrank_refuse("there is no such halo"));
    CHECK(transrank_route_halo(MPI_COMM_NULL, these.grid, 0, &made) == TRANSRANK_ERROR_ARGUMENT);
    OK(transrank_route_halo(MPI_COMM_WORLD, these.grid, 0, &made));
    OK(transrank_route_free(&made));
}

// No communicator of the call's ranks alone is taken for that of an update, none of two groups.
static void pass_other_communicators(void) {
    MPI_Comm half = MPI_COMM_NULL;
    transrank_exchange* bound = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    CHECK(transrank_ghost_update_bind(half, these.update, TRANSRANK_PULL, NULL, &bound) ==
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
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, these.update, TRANSRANK_PULL, NULL,
                                   &stale_exchange));
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
    OK(transrank_exchange_bind(MPI_COMM_WORLD, these.route, 1, &field, NULL, &bound));
    OK(transrank_shared_free(&memory));
    CHECK(memory == NULL);
    OK(transrank_exchange_run(bound));
    OK(transrank_exchange_free(&bound));
}

int main(int argc, char** argv) {
    CHECK(transrank_numbering_create(MPI_COMM_WORLD, 4, 0, &these.numbering) ==
          TRANSRANK_ERROR_MISUSE);
    CHECK(strstr(transrank_error_text(), "MPI_Init") != NULL);
    begin(&argc, &argv);
    make_objects(&these, 0);
    make_objects(&others, 1);
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, these.update, TRANSRANK_PULL, NULL, &exchange));
    transrank_route* to_free = NULL;
    OK(transrank_route_transposed(these.route, &to_free));
    freed_route = to_free;
    OK(transrank_route_free(&to_free));
    OK(transrank_route_free(&to_free));

    misuse_local_calls();
    misuse_collective_calls();
    if (ranks == 2 || ranks == 3) {
        make_different_calls();
    }
    break_exchanges();
    refuse_starts();
    refuse_the_next_call();
    free_what_is_bound();
    use_freed_handles();
    name_block_lengths();
    pass_other_communicators();
    OK(transrank_exchange_run(exchange));
    MPI_Finalize();
    CHECK(transrank_exchange_run(exchange) == TRANSRANK_ERROR_MISUSE);
    transrank_exchange* late = NULL;
    CHECK(transrank_exchange_bind(MPI_COMM_WORLD, these.route, 0, NULL, NULL, &late) ==
          TRANSRANK_ERROR_MISUSE);
    OK(transrank_exchange_free(&exchange));
    free_objects(&these);
    free_objects(&others);
    return 0;
}
