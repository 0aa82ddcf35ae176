// SPDX-License-Identifier: BSD-3-Clause
// Moves through the C interface that tests/support/moves.py has drawn, each with what must come of
// it: moves_program FOLDER, which has a file of numbers for each rank.
#include "testing.h"

enum { MOST_LISTS = 100, MOST_DIMENSIONS = 3 };

static const char* folder = ".";
static FILE* file = NULL;

struct List {
    int64_t count;
    int64_t* at;
};
static void* kept[MOST_LISTS];  // of the lists of a move
static int kept_count = 0;

static int64_t next(void) {
    int64_t number = 0;
    CHECK(fscanf(file, "%" SCNd64, &number) == 1);
    return number;
}

static void* keep(void* memory) {
    CHECK(memory != NULL && kept_count < MOST_LISTS);
    return kept[kept_count++] = memory;
}

static struct List list(void) {
    struct List read = {next(), NULL};
    read.at = keep(calloc((size_t)read.count + 1, sizeof(int64_t)));
    for (int64_t i = 0; i < read.count; ++i) {
        read.at[i] = next();
    }
    return read;
}

static int* ints(struct List numbers) {
    int* made = keep(calloc((size_t)numbers.count + 1, sizeof(int)));
    for (int64_t i = 0; i < numbers.count; ++i) {
        made[i] = (int)numbers.at[i];
    }
    return made;
}

/// Elements of some bytes that hold a list, in either kind of memory, as they may be mixed. They
/// have two dimensions, and may lie apart and in any order.
struct Array {
    void* memory;
    int64_t room;
    char* first;
    transrank_dimension dimensions[2];
    transrank_view view;
    int shared;
};

static char* element(const struct Array* array, int64_t i) {
    const transrank_dimension* const along = array->dimensions;
    return array->first + (i / along[1].count * along[0].stride_bytes) +
           (i % along[1].count * along[1].stride_bytes);
}

// The first bytes of a number are its low ones.
static void fill(void* memory, struct List values, size_t width) {
    for (int64_t i = 0; i < values.count; ++i) {
        memcpy((char*)memory + ((size_t)i * width), &values.at[i], width);
    }
}

static void expect_number(int64_t i, const void* place, int64_t expected, size_t width) {
    int64_t found = 0;
    memcpy(&found, place, width);
    if (found != expected) {
        fprintf(stderr, "place %" PRId64 ": %" PRId64 " instead of %" PRId64 "\n", i, found,
                expected);
    }
    CHECK(found == expected);
}

static void expect(const void* memory, struct List values, size_t width) {
    for (int64_t i = 0; i < values.count; ++i) {
        expect_number(i, (const char*)memory + ((size_t)i * width), values.at[i], width);
    }
}

/// Rows and columns, so many elements from one to the next, or backwards; the faster ones in memory
/// are the columns, or the rows.
struct Form {
    int64_t columns;
    int64_t steps[2];
    int64_t rows_first;
};
static const struct Form dense = {1, {1, 1}, 0};
static const char gap = 0x5a;

static struct Array array_in_form(struct List values, size_t width, int shared, struct Form form) {
    struct Array made = {.shared = shared};
    made.dimensions[0].count = values.count / form.columns;
    made.dimensions[1].count = form.columns;
    made.room = (int64_t)width;
    for (int i = 0; i < 2; ++i) {
        const int d = i == form.rows_first;
        made.dimensions[d].stride_bytes = made.room * form.steps[d];
        made.room *= made.dimensions[d].count * llabs(form.steps[d]);
    }
    if (shared) {
        OK(transrank_shared_alloc(made.room, &made.memory));
    } else {
        made.memory = calloc((size_t)made.room + 1, 1);
    }
    memset(made.memory, gap, (size_t)made.room);
    made.first = made.memory;
    for (int d = 0; d < 2; ++d) {
        const int64_t stride = made.dimensions[d].stride_bytes;
        made.first -= stride < 0 && made.room > 0 ? (made.dimensions[d].count - 1) * stride : 0;
    }
    for (int64_t i = 0; i < values.count; ++i) {
        memcpy(element(&made, i), &values.at[i], width);
    }
    made.view.count = 2;
    made.view.element_bytes = (int64_t)width;
    return made;
}

static struct Array array_of(struct List values, size_t width, int shared) {
    return array_in_form(values, width, shared, dense);
}

/// And nothing between the elements, which are lost.
static void expect_array(const struct Array* array, struct List values, size_t width) {
    for (int64_t i = 0; i < values.count; ++i) {
        expect_number(i, element(array, i), values.at[i], width);
        memset(element(array, i), gap, width);
    }
    for (int64_t i = 0; i < array->room; ++i) {
        CHECK(((const char*)array->memory)[i] == gap);
    }
}

static void free_array(struct Array* array) {
    if (array->shared) {
        OK(transrank_shared_free(&array->memory));
    } else {
        free(array->memory);
    }
}

static int64_t bytes_of(const struct Array* array) {
    return array->dimensions[0].count * array->dimensions[1].count * array->view.element_bytes;
}

static transrank_field field(struct Array* source, struct Array* destination, int64_t unit_bytes,
                             int scalar) {
    source->view.dimensions = source->dimensions;
    destination->view.dimensions = destination->dimensions;
    return (transrank_field){.source = source->first,
                             .source_bytes = bytes_of(source),
                             .destination = destination->first,
                             .destination_bytes = bytes_of(destination),
                             .unit_bytes = unit_bytes,
                             .scalar = scalar,
                             .source_view = &source->view,
                             .destination_view = &destination->view};
}

// Once: run, or start and wait, or start and test; with fields, or the first ones that are bound.
static void move_fields(transrank_exchange* exchange, int64_t how, int count,
                        const transrank_field* fields) {
    int done = 0;
    if (fields != NULL) {
        OK(how == 0 ? transrank_exchange_run_with(exchange, count, fields)
                    : transrank_exchange_start_with(exchange, count, fields));
    } else {
        OK(how == 0 ? transrank_exchange_run(exchange) : transrank_exchange_start(exchange));
    }
    if (how == 1) {
        OK(transrank_exchange_wait(exchange));
    }
    while (how == 2 && !done) {
        OK(transrank_exchange_test(exchange, &done));
    }
    while (how == 3 && !done) {
        OK(transrank_exchange_wait_for(exchange, 0.01, &done));
    }
    // It is over, however often one asks.
    OK(transrank_exchange_test(exchange, &done));
    CHECK(done);
    OK(transrank_exchange_wait(exchange));
    done = 0;
    OK(transrank_exchange_wait_for(exchange, 0, &done));
    CHECK(done);
}

static void move(transrank_exchange* exchange, int64_t how) {
    move_fields(exchange, how, 0, NULL);
}

enum { BY_PULLING, BY_PUSHING, ALONG, LIKE, BY_ROUTE };

static transrank_ghost_update* update_of(int64_t way, const transrank_rows* rows,
                                         const transrank_route* route, struct List ghosts,
                                         struct List pushed, const int* targets) {
    transrank_ghost_update* update = NULL;
    transrank_ghost_update* other = NULL;
    if (way == BY_PUSHING) {
        OK(transrank_ghost_update_push(MPI_COMM_WORLD, rows, pushed.count, pushed.at, targets,
                                       &update));
    } else if (way == ALONG) {
        OK(transrank_ghost_update_along(MPI_COMM_WORLD, rows, route, &update));
    } else {
        OK(transrank_ghost_update_pull(MPI_COMM_WORLD, rows, ghosts.count, ghosts.at, &update));
    }
    if (way == LIKE) {
        other = update;
        OK(transrank_ghost_update_like(MPI_COMM_WORLD, rows, other, &update));
        OK(transrank_ghost_update_free(&other));
    }
    return update;
}

static void check_numbering(const transrank_numbering* numbering) {
    const struct List range = list();
    const struct List owners = list();
    const struct List places = list();
    int64_t found[3];
    OK(transrank_numbering_range(numbering, &found[0], &found[1], &found[2]));
    expect(found, range, sizeof found[0]);
    for (int64_t i = 0; i < owners.count; ++i) {
        int owner = -1;
        OK(transrank_numbering_place(numbering, i, &owner, &found[0]));
        CHECK(owner == owners.at[i] && found[0] == places.at[i]);
        OK(transrank_numbering_index(numbering, owner, found[0], &found[1]));
        CHECK(found[1] == i);
    }
}

static void update_ghosts(void) {
    const int64_t way = next();
    const int64_t how = next();
    const int shared = (int)next();
    const int64_t length = next();  // of each row, or -1
    const struct List offsets = list();
    const struct List ghosts = list();
    const struct List pushed = list();
    const int* const targets = ints(list());
    transrank_numbering* numbering = NULL;
    OK(transrank_numbering_create(MPI_COMM_WORLD, offsets.count - 1, 1, &numbering));
    check_numbering(numbering);
    transrank_route* route = NULL;
    OK(way == BY_PUSHING ? transrank_route_ghost_push(MPI_COMM_WORLD, numbering, pushed.count,
                                                      pushed.at, targets, 0, &route)
                         : transrank_route_ghost_pull(MPI_COMM_WORLD, numbering, ghosts.count,
                                                      ghosts.at, 0, ghosts.count, &route));
    const struct List expected = list();
    int64_t count = 0;
    const int64_t* indices = NULL;
    const int64_t* begins = NULL;
    OK(transrank_route_ghosts(route, &count, &indices));
    CHECK(count == expected.count);
    expect(indices, expected, sizeof(int64_t));

    const struct List values = list();
    struct Array own = array_of(values, 8, shared);
    const struct List expected_begins = list();
    const struct List copies = list();
    const struct List added = list();
    const struct List sums = list();
    struct Array ghost = array_of(added, 8, shared);
    transrank_exchange* pull = NULL;
    transrank_exchange* push = NULL;
    const transrank_options add = {.operation = TRANSRANK_ADD};
    void* data = ghost.memory;
    if (way == BY_ROUTE) {
        transrank_route* back = NULL;
        const transrank_field there = field(&own, &ghost, 8, TRANSRANK_INT64);
        const transrank_field again = field(&ghost, &own, 8, TRANSRANK_INT64);
        OK(transrank_route_transposed(route, &back));
        OK(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &there, NULL, &pull));
        OK(transrank_exchange_bind(MPI_COMM_WORLD, back, 1, &again, &add, &push));
        OK(transrank_route_free(&back));
        move(pull, how);
    } else {
        const transrank_rows rows = {.count = offsets.count - 1,
                                     .length = length < 0 ? 0 : length,
                                     .offsets = length < 0 ? offsets.at : NULL,
                                     .element_bytes = 8,
                                     .scalar = TRANSRANK_INT64,
                                     .data = own.memory,
                                     .data_bytes = bytes_of(&own)};
        transrank_ghost_update* update = update_of(way, &rows, route, ghosts, pushed, targets);
        OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PULL, NULL, &pull));
        OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PUSH, &add, &push));
        OK(transrank_ghost_update_ghosts(update, &count, &indices, &begins, &data));
        CHECK(count == expected.count);
        expect(indices, expected, sizeof(int64_t));
        expect(begins, expected_begins, sizeof(int64_t));
        move(pull, how);
        OK(transrank_ghost_update_free(&update));  // what is bound keeps what it needs
    }
    expect(data, copies, 8);
    fill(data, added, 8);
    move(push, how);
    expect(own.memory, sums, 8);
    fill(own.memory, values, 8);
    move(pull, how);
    expect(data, copies, 8);
    OK(transrank_exchange_free(&pull));
    OK(transrank_exchange_free(&push));
    OK(transrank_route_free(&route));
    OK(transrank_numbering_free(&numbering));
    free_array(&own);
    free_array(&ghost);
}

static transrank_distribution* distribution(void) {
    enum { EVEN, IRREGULAR, BLOCK_CYCLIC };
    transrank_distribution* made = NULL;
    const int64_t kind = next();
    const int64_t extent = next();
    const int parts = (int)next();
    const struct List boundaries = list();
    const int64_t block = next();
    const int first = (int)next();
    OK(kind == EVEN ? transrank_distribution_even(extent, parts, &made)
       : kind == IRREGULAR
           ? transrank_distribution_irregular(parts, boundaries.at, &made)
           : transrank_distribution_block_cyclic(extent, parts, block, first, &made));
    const struct List owners = list();
    const struct List positions = list();
    const struct List counts = list();
    for (int64_t i = 0; i < extent; ++i) {
        int part = -1;
        int64_t position = -1;
        OK(transrank_distribution_owner(made, i, &part, &position));
        CHECK(part == owners.at[i] && position == positions.at[i]);
    }
    for (int part = 0; part < parts; ++part) {
        int64_t count = -1;
        OK(transrank_distribution_owned(made, part, &count));
        CHECK(count == counts.at[part]);
    }
    return made;
}

static transrank_layout* layout(void) {
    transrank_layout* made = NULL;
    if (next()) {
        const struct List cells = list();
        OK(transrank_layout_points(cells.count, cells.at, TRANSRANK_LAST_FASTEST, &made));
        return made;
    }
    const int dimensions = (int)next();
    transrank_distribution* along[MOST_DIMENSIONS] = {NULL, NULL, NULL};
    transrank_halo halo[MOST_DIMENSIONS];
    for (int d = 0; d < dimensions; ++d) {
        along[d] = distribution();
        halo[d].low = next();
        halo[d].high = next();
        halo[d].periodic = (int)next();
    }
    const int* const order = ints(list());
    const int* const holders = ints(list());
    const transrank_grid_options options = {.part_order = TRANSRANK_LAST_FASTEST,
                                            .memory_order = order,
                                            .halo = halo,
                                            .ranks = holders};
    const transrank_distribution* const given[MOST_DIMENSIONS] = {along[0], along[1], along[2]};
    OK(transrank_layout_grid(dimensions, given, &options, &made));
    for (int d = 0; d < dimensions; ++d) {
        OK(transrank_distribution_free(&along[d]));
        CHECK(along[d] == NULL);
    }
    const struct List extents = list();
    const struct List box = list();  // begins, then ends, where there is one
    int64_t found[2 * MOST_DIMENSIONS];
    int64_t strides[MOST_DIMENSIONS];
    int64_t units = -1;
    OK(transrank_layout_local(made, rank, found, strides, &units));
    expect(found, extents, sizeof found[0]);
    if (box.count > 0) {
        OK(transrank_layout_box(made, rank, found, &found[dimensions]));
        expect(found, box, sizeof found[0]);
    }
    return made;
}

enum { REDISTRIBUTED, HALO };

static void move_cells(void) {
    const int64_t what = next();
    const int64_t how = next();
    const int shared = (int)next();
    const int choice = (int)next();  // corners or coverage
    const int back = (int)next();
    const int saved = (int)next();
    const int64_t starts = next();
    transrank_layout* layouts[2] = {layout(), NULL};
    transrank_route* route = NULL;
    if (what == HALO) {
        OK(transrank_route_halo(MPI_COMM_WORLD, layouts[0], choice, &route));
    } else {
        layouts[1] = layout();
        OK(transrank_route_redistribution(MPI_COMM_WORLD, layouts[back], layouts[!back], choice,
                                          &route));
    }
    if (back) {
        transrank_route* there = route;
        OK(transrank_route_transposed(there, &route));
        OK(transrank_route_free(&there));
    }
    if (saved) {
        OK(transrank_route_save(MPI_COMM_WORLD, route, folder));
        OK(transrank_route_free(&route));
        OK(transrank_route_load(MPI_COMM_WORLD, folder, &route));
    }
    const struct List expected_extents = list();
    int64_t extents[2];
    OK(transrank_route_extents(route, &extents[0], &extents[1]));
    expect(extents, expected_extents, sizeof extents[0]);
    enum { BOUND, ONE_OF_SETS, ANY_MEMORY, SETS = 3, MOST_FIELDS = 3 };
    transrank_field fields[SETS * MOST_FIELDS];
    struct Array from[SETS * MOST_FIELDS];
    struct Array to[SETS * MOST_FIELDS];
    struct List expected[2][MOST_FIELDS];  // of arrays that stay, and of those that are moved
    const int count = (int)next();
    for (int f = 0; f < count; ++f) {
        const int64_t length = next();
        struct Form forms[2];
        for (int side = 0; side < 2; ++side) {
            forms[side].columns = length;
            forms[side].steps[0] = next();
            forms[side].steps[1] = next();
            forms[side].rows_first = next();
        }
        const struct List before = list();
        const struct List after = list();
        expected[0][f] = what == HALO ? before : after;
        expected[1][f] = list();
        for (int i = f; i < SETS * count; i += count) {
            from[i] = array_in_form(before, 4, shared, forms[0]);
            to[i] = array_in_form(after, 4, shared, forms[1]);
            fields[i] = field(&from[i], what == HALO ? &from[i] : &to[i], 4 * length, 0);
        }
    }
    transrank_exchange* exchange = NULL;
    const transrank_options options = {.any_memory = starts == ANY_MEMORY,
                                       .sets = starts == ONE_OF_SETS ? SETS : 1};
    OK(transrank_exchange_bind(MPI_COMM_WORLD, route, count, fields, &options, &exchange));
    OK(transrank_route_free(&route));
    int moved[SETS] = {starts == BOUND, 0, 0};
    if (starts == BOUND) {
        move(exchange, how);
    }
    for (int i = 0; i < 2 && starts != BOUND; ++i) {
        const int set = (rank + i) % SETS;
        move_fields(exchange, how, count, &fields[set * count]);
        moved[set] = 1;
    }
    OK(transrank_exchange_free(&exchange));
    for (int i = 0; i < SETS * count; ++i) {
        expect_array(what == HALO ? &from[i] : &to[i], expected[moved[i / count]][i % count], 4);
        free_array(&from[i]);
        free_array(&to[i]);
    }
    OK(transrank_layout_free(&layouts[0]));
    OK(transrank_layout_free(&layouts[1]));
}

static void exchange_blocks(void) {
    enum { BOUND, ONCE, BOUND_UNEVEN, ALONG_A_ROUTE };
    static const char* const algorithms[] = {NULL, "linear", "pairwise", "mpi", "on-node-direct"};
    const int64_t way = next();
    const int64_t how = next();
    const int shared = (int)next();
    const char* const algorithm = algorithms[next()];
    const transrank_alltoall_options options = {.algorithm = algorithm, .any_memory = (int)next()};
    const struct List counts[2] = {list(), list()};
    const struct List begins[2] = {list(), list()};
    struct Array send = array_of(list(), 1, shared);
    const struct List before = list();
    struct Array receive = array_of(before, 1, shared);
    const struct List expected = list();
    const transrank_field bytes = field(&send, &receive, 1, 0);
    transrank_exchange* exchange = NULL;
    if (way == ONCE) {
        OK(transrank_alltoall(MPI_COMM_WORLD, send.memory, receive.memory, counts[0].at[0],
                              &options));
    } else if (way == BOUND) {
        struct Array* const bound[2] = {options.any_memory ? &receive : &send,
                                        options.any_memory ? &send : &receive};
        OK(transrank_alltoall_bind(MPI_COMM_WORLD, bound[0]->memory, bound[1]->memory,
                                   counts[0].at[0], &options, &exchange));
    } else if (way == BOUND_UNEVEN) {
        OK(transrank_alltoallv_bind(MPI_COMM_WORLD, send.memory, counts[0].at, begins[0].at,
                                    receive.memory, counts[1].at, begins[1].at, &options,
                                    &exchange));
    } else {
        transrank_route* route = NULL;
        OK(transrank_route_alltoallv(MPI_COMM_WORLD, counts[0].at, begins[0].at, counts[1].at,
                                     begins[1].at, &route));
        OK(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &bytes, NULL, &exchange));
        OK(transrank_route_free(&route));
    }
    if (exchange != NULL) {
        move_fields(exchange, how, 1, options.any_memory ? &bytes : NULL);
    }
    expect(receive.memory, expected, 1);
    OK(transrank_exchange_free(&exchange));
    free_array(&send);
    free_array(&receive);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    folder = argv[1];
    char path[1000];
    snprintf(path, sizeof path, "%s/rank-%d.moves", folder, rank);
    file = fopen(path, "r");
    CHECK(file != NULL);
    void (*const kinds[])(void) = {update_ghosts, move_cells, exchange_blocks};
    for (int64_t kind = next(); kind >= 0; kind = next(), ++trial) {
        kinds[kind]();
        while (kept_count > 0) {
            free(kept[--kept_count]);
        }
    }
    fclose(file);
    MPI_Finalize();
    return 0;
}
