// SPDX-License-Identifier: BSD-3-Clause
// Random moves through the C interface, each held against a serial oracle: all ranks draw the same
// numbers, so that each knows what the others have. random_moves_program SEED TRIALS FOLDER.
#include "testing.h"

enum { MOST_RANKS = 8, MOST_ROWS = 6, MOST_GHOSTS = 9, MOST_LENGTH = 3, MOST_CELLS = 7 * 7 * 7 };

static const char* folder = ".";

// Once: run, or start and wait, or start and test.
static void move(transrank_exchange* exchange, int how) {
    int done = 0;
    OK(how == 0 ? transrank_exchange_run(exchange) : transrank_exchange_start(exchange));
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

// ---- Ghost updates.

struct Mesh {
    int owned[MOST_RANKS];
    int first[MOST_RANKS + 1];
    int length[MOST_RANKS * MOST_ROWS];  // of each row of all ranks
    int ghosts[MOST_RANKS];
    int ghost[MOST_RANKS][MOST_GHOSTS];  // global indices
    int uniform;
};

static struct Mesh draw_mesh(void) {
    struct Mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.uniform = between(0, 1);
    const int length = between(0, MOST_LENGTH);
    for (int r = 0; r < ranks; ++r) {
        mesh.owned[r] = between(0, MOST_ROWS);
        mesh.first[r + 1] = mesh.first[r] + mesh.owned[r];
    }
    const int all = mesh.first[ranks];
    for (int i = 0; i < all; ++i) {
        mesh.length[i] = mesh.uniform ? length : between(0, MOST_LENGTH);
    }
    for (int r = 0; r < ranks; ++r) {
        mesh.ghosts[r] = all == 0 ? 0 : between(0, MOST_GHOSTS);
        for (int i = 0; i < mesh.ghosts[r]; ++i) {
            mesh.ghost[r][i] = between(0, all - 1);
        }
    }
    return mesh;
}

static int64_t in_row(int row, int element, int step) {
    return (1000 * row) + (10 * element) + step;
}

// What a rank adds to a ghost of its own.
static int64_t added(int r, int ghost, int element) {
    return (100 * r) + (10 * ghost) + element;
}

static transrank_ghost_update* update_of(const struct Mesh* mesh, const transrank_rows* rows,
                                         int way) {
    transrank_ghost_update* update = NULL;
    int64_t wanted[MOST_RANKS * MOST_GHOSTS];
    int targets[MOST_RANKS * MOST_GHOSTS];
    int64_t count = 0;
    if (way == 0) {
        for (int i = 0; i < mesh->ghosts[rank]; ++i) {
            wanted[count++] = mesh->ghost[rank][i];
        }
        OK(transrank_ghost_update_pull(MPI_COMM_WORLD, rows, count, wanted, &update));
        return update;
    }
    for (int r = 0; r < ranks; ++r) {
        for (int i = 0; i < mesh->ghosts[r]; ++i) {
            const int row = mesh->ghost[r][i] - mesh->first[rank];
            if (row >= 0 && row < mesh->owned[rank]) {
                wanted[count] = row;
                targets[count++] = r;
            }
        }
    }
    OK(transrank_ghost_update_push(MPI_COMM_WORLD, rows, count, wanted, targets, &update));
    return update;
}

static int by_owner(const void* one, const void* other, const struct Mesh* mesh) {
    int owners[2];
    const int indices[2] = {*(const int*)one, *(const int*)other};
    for (int i = 0; i < 2; ++i) {
        for (owners[i] = 0; mesh->first[owners[i] + 1] <= indices[i]; ++owners[i]) {
        }
    }
    return owners[0] - owners[1];
}

// Pushed ghosts stand in the order of their owners: a stable sort.
static void order_by_owner(struct Mesh* mesh) {
    for (int r = 0; r < ranks; ++r) {
        for (int i = 1; i < mesh->ghosts[r]; ++i) {
            int* const list = mesh->ghost[r];
            for (int j = i; j > 0 && by_owner(&list[j - 1], &list[j], mesh) > 0; --j) {
                const int kept = list[j];
                list[j] = list[j - 1];
                list[j - 1] = kept;
            }
        }
    }
}

static void update_ghosts(void) {
    struct Mesh mesh = draw_mesh();
    const int way = between(0, 1);
    const int shared = between(0, 1);
    const int steps = between(1, 3);
    const int how = between(0, 3);
    const int again = between(0, 2);
    if (way == 1) {
        order_by_owner(&mesh);
    }
    int64_t offsets[MOST_ROWS + 1] = {0};
    for (int i = 0; i < mesh.owned[rank]; ++i) {
        offsets[i + 1] = offsets[i] + mesh.length[mesh.first[rank] + i];
    }
    const int64_t units = offsets[mesh.owned[rank]];
    const int64_t bytes = units * (int64_t)sizeof(int64_t);
    int64_t* own = array(bytes, shared);
    const transrank_rows rows = {.count = mesh.owned[rank],
                                 .length = mesh.uniform ? mesh.length[0] : 0,
                                 .offsets = mesh.uniform ? NULL : offsets,
                                 .element_bytes = sizeof(int64_t),
                                 .scalar = TRANSRANK_INT64,
                                 .data = own,
                                 .data_bytes = bytes};
    transrank_ghost_update* update = update_of(&mesh, &rows, way);
    if (again == 1) {  // the same ghosts by those of another update
        transrank_ghost_update* other = update;
        OK(transrank_ghost_update_like(MPI_COMM_WORLD, &rows, other, &update));
        OK(transrank_ghost_update_free(&other));
    }
    int64_t count = 0;
    const int64_t* indices = NULL;
    const int64_t* begins = NULL;
    void* data = NULL;
    OK(transrank_ghost_update_ghosts(update, &count, &indices, &begins, &data));
    CHECK(count == mesh.ghosts[rank]);
    int64_t* const ghosts = data;
    transrank_exchange* pull = NULL;
    transrank_exchange* push = NULL;
    const transrank_options add = {.operation = TRANSRANK_ADD};
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PULL, NULL, &pull));
    OK(transrank_ghost_update_bind(MPI_COMM_WORLD, update, TRANSRANK_PUSH, &add, &push));
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < mesh.owned[rank]; ++i) {
            for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
                own[e] = in_row(mesh.first[rank] + i, (int)(e - offsets[i]), step);
            }
        }
        move(pull, how);
        for (int i = 0; i < count; ++i) {
            const int row = mesh.ghost[rank][i];
            CHECK(indices[i] == row);
            CHECK(begins[i + 1] - begins[i] == mesh.length[row]);
            for (int e = 0; e < mesh.length[row]; ++e) {
                CHECK(ghosts[begins[i] + e] == in_row(row, e, step));
                ghosts[begins[i] + e] = added(rank, i, e);
            }
        }
        move(push, how);
        for (int i = 0; i < mesh.owned[rank]; ++i) {
            const int row = mesh.first[rank] + i;
            for (int e = 0; e < mesh.length[row]; ++e) {
                int64_t sum = in_row(row, e, step);
                for (int r = 0; r < ranks; ++r) {
                    for (int g = 0; g < mesh.ghosts[r]; ++g) {
                        sum += mesh.ghost[r][g] == row ? added(r, g, e) : 0;
                    }
                }
                CHECK(own[offsets[i] + e] == sum);
            }
        }
    }
    // What is bound keeps what it needs.
    OK(transrank_ghost_update_free(&update));
    move(pull, how);
    OK(transrank_exchange_free(&pull));
    OK(transrank_exchange_free(&push));
    free_array(own, shared);
}

// ---- Grids.

struct Grid {
    int dimensions;
    int extent[3];
    int parts[3];
    int kind[3];  // even, cyclic by blocks, irregular
    int block[3];
    int boundary[3][MOST_RANKS + 1];
    int memory_order[3];
    int first_fastest;  // numbers of parts
    transrank_halo halo[3];
    int rank_of_part[MOST_RANKS];
};

static struct Grid draw_grid(int dimensions, const int* extent) {
    struct Grid grid;
    memset(&grid, 0, sizeof grid);
    grid.dimensions = dimensions;
    grid.first_fastest = between(0, 1);
    int room = ranks;
    for (int d = 0; d < dimensions; ++d) {
        grid.extent[d] = extent[d];
        grid.parts[d] = between(1, room < extent[d] ? room : extent[d]);
        room /= grid.parts[d];
        grid.kind[d] = between(0, 2);
        grid.block[d] = between(1, 3);
        for (int p = 1; p <= grid.parts[d]; ++p) {
            const int least = grid.boundary[d][p - 1];
            grid.boundary[d][p] = p == grid.parts[d] ? extent[d] : between(least, extent[d]);
        }
        const int other = between(0, d);
        grid.memory_order[d] = grid.memory_order[other];
        grid.memory_order[other] = d;
    }
    for (int p = 0; p < ranks; ++p) {
        const int other = between(0, p);
        grid.rank_of_part[p] = grid.rank_of_part[other];
        grid.rank_of_part[other] = p;
    }
    return grid;
}

static int even_begin(int extent, int parts, int part) {
    const int rest = extent % parts;
    return (part * (extent / parts)) + (part < rest ? part : rest);
}

// The part that owns an index of a dimension, and where that index comes among its own.
static int owner(const struct Grid* grid, int d, int index, int* position) {
    int part = 0;
    if (grid->kind[d] == 1) {
        const int block = index / grid->block[d];
        *position = ((block / grid->parts[d]) * grid->block[d]) + (index % grid->block[d]);
        return block % grid->parts[d];
    }
    const int even = grid->kind[d] == 0;
    for (;; ++part) {
        const int begin_of =
            even ? even_begin(grid->extent[d], grid->parts[d], part) : grid->boundary[d][part];
        const int end_of = even ? even_begin(grid->extent[d], grid->parts[d], part + 1)
                                : grid->boundary[d][part + 1];
        if (index >= begin_of && index < end_of) {
            *position = index - begin_of;
            return part;
        }
    }
}

static int owned_count(const struct Grid* grid, int d, int part) {
    int count = 0;
    int position = 0;
    for (int i = 0; i < grid->extent[d]; ++i) {
        count += owner(grid, d, i, &position) == part;
    }
    return count;
}

static int rank_of(const struct Grid* grid, const int* coordinates) {
    int part = 0;
    for (int n = 0; n < grid->dimensions; ++n) {
        const int d = grid->first_fastest ? grid->dimensions - 1 - n : n;
        part = (part * grid->parts[d]) + coordinates[d];
    }
    return grid->rank_of_part[part];
}

static transrank_layout* layout_of(const struct Grid* grid) {
    transrank_distribution* along[3] = {NULL, NULL, NULL};
    for (int d = 0; d < grid->dimensions; ++d) {
        int64_t boundaries[MOST_RANKS + 1];
        for (int p = 0; p <= grid->parts[d]; ++p) {
            boundaries[p] = grid->boundary[d][p];
        }
        if (grid->kind[d] == 0) {
            OK(transrank_distribution_even(grid->extent[d], grid->parts[d], &along[d]));
        } else if (grid->kind[d] == 1) {
            OK(transrank_distribution_block_cyclic(grid->extent[d], grid->parts[d], grid->block[d],
                                                   0, &along[d]));
        } else {
            OK(transrank_distribution_irregular(grid->parts[d], boundaries, &along[d]));
        }
        for (int i = 0; i < grid->extent[d]; ++i) {
            int part = -1;
            int expected = -1;
            int64_t position = -1;
            int64_t count = -1;
            OK(transrank_distribution_owner(along[d], i, &part, &position));
            CHECK(part == owner(grid, d, i, &expected) && position == expected);
            OK(transrank_distribution_owned(along[d], part, &count));
            CHECK(count == owned_count(grid, d, part));
        }
    }
    const transrank_distribution* const given[3] = {along[0], along[1], along[2]};
    const transrank_grid_options options = {
        .part_order = grid->first_fastest ? TRANSRANK_FIRST_FASTEST : TRANSRANK_LAST_FASTEST,
        .memory_order = grid->memory_order,
        .halo = grid->halo,
        .ranks = grid->rank_of_part};
    transrank_layout* layout = NULL;
    OK(transrank_layout_grid(grid->dimensions, given, &options, &layout));
    for (int d = 0; d < grid->dimensions; ++d) {
        OK(transrank_distribution_free(&along[d]));
        CHECK(along[d] == NULL);
    }
    return layout;
}

// Calls `visit` with every cell of the grid that this rank owns: its number in C order, and its
// place in the local array.
static void for_each_owned(const struct Grid* grid, void (*visit)(void*, int, int64_t),
                           void* context) {
    int64_t cells = 1;
    for (int d = 0; d < grid->dimensions; ++d) {
        cells *= grid->extent[d];
    }
    for (int cell = 0; cell < cells; ++cell) {
        int coordinates[3];
        int64_t positions[3];
        int rest = cell;
        for (int d = grid->dimensions - 1; d >= 0; --d) {
            int position = 0;
            coordinates[d] = owner(grid, d, rest % grid->extent[d], &position);
            positions[d] = position + grid->halo[d].low;
            rest /= grid->extent[d];
        }
        if (rank_of(grid, coordinates) != rank) {
            continue;
        }
        int64_t place = 0;
        int64_t stride = 1;
        for (int n = 0; n < grid->dimensions; ++n) {
            const int d = grid->memory_order[n];
            place += positions[d] * stride;
            stride *= owned_count(grid, d, coordinates[d]) + grid->halo[d].low + grid->halo[d].high;
        }
        visit(context, cell, place);
    }
}

struct Field {
    int32_t* values;
    int length;
    int number;
};

static int32_t in_cell(const struct Field* field, int cell, int element) {
    return (1000 * cell) + (100 * field->number) + element + 1;
}

static void fill(void* context, int cell, int64_t place) {
    const struct Field* field = context;
    for (int e = 0; e < field->length; ++e) {
        field->values[(place * field->length) + e] = in_cell(field, cell, e);
    }
}

static void compare(void* context, int cell, int64_t place) {
    const struct Field* field = context;
    for (int e = 0; e < field->length; ++e) {
        CHECK(field->values[(place * field->length) + e] == in_cell(field, cell, e));
    }
}

// Points: each cell on some rank, in the order drawn; the same on all ranks.
struct Points {
    int count;
    int cell[MOST_CELLS];
};

static struct Points draw_points(int cells) {
    struct Points points = {0, {0}};
    for (int i = 0; i < cells; ++i) {
        const int cell = (int)((i * 5L + 3) % cells);  // a permutation unless 5 divides `cells`
        const int used = cells % 5 == 0 ? i : cell;
        if (between(0, ranks - 1) == rank) {
            points.cell[points.count++] = used;
        }
    }
    return points;
}

static transrank_layout* layout_of_points(const struct Points* points) {
    int64_t cells[MOST_CELLS];
    transrank_layout* layout = NULL;
    for (int i = 0; i < points->count; ++i) {
        cells[i] = points->cell[i];
    }
    OK(transrank_layout_points(points->count, cells, TRANSRANK_LAST_FASTEST, &layout));
    return layout;
}

static void visit_side(const struct Grid* grid, const struct Points* points, int listed,
                       void (*visit)(void*, int, int64_t), struct Field* field) {
    if (!listed) {
        for_each_owned(grid, visit, field);
    }
    for (int i = 0; listed && i < points->count; ++i) {
        visit(field, points->cell[i], i);
    }
}

static void redistribute(void) {
    const int dimensions = between(1, 3);
    int extent[3];
    int cells = 1;
    for (int d = 0; d < dimensions; ++d) {
        extent[d] = between(1, 7);
        cells *= extent[d];
    }
    const struct Grid grids[2] = {draw_grid(dimensions, extent), draw_grid(dimensions, extent)};
    const struct Points points[2] = {draw_points(cells), draw_points(cells)};
    const int listed[2] = {between(0, 3) == 0, between(0, 3) == 0};
    const int count = between(1, 3);
    const int shared = between(0, 1);
    const int way = between(0, 3);
    const int how = between(0, 3);
    transrank_layout* layouts[2];
    for (int side = 0; side < 2; ++side) {
        layouts[side] = listed[side] ? layout_of_points(&points[side]) : layout_of(&grids[side]);
    }
    transrank_route* route = NULL;
    OK(transrank_route_redistribution(MPI_COMM_WORLD, layouts[way == 1], layouts[way != 1],
                                      TRANSRANK_OWNED, &route));
    if (way == 1) {
        transrank_route* back = NULL;
        OK(transrank_route_transposed(route, &back));
        OK(transrank_route_free(&route));
        route = back;
    } else if (way == 2) {
        OK(transrank_route_save(MPI_COMM_WORLD, route, folder));
        OK(transrank_route_free(&route));
        OK(transrank_route_load(MPI_COMM_WORLD, folder, &route));
    }
    int64_t units[2];
    OK(transrank_route_extents(route, &units[0], &units[1]));
    transrank_field fields[3];
    struct Field from[3];
    struct Field to[3];
    for (int f = 0; f < count; ++f) {
        const int length = between(1, 3);
        const int64_t bytes[2] = {units[0] * length * 4, units[1] * length * 4};
        from[f] = (struct Field){array(bytes[0], shared), length, f};
        to[f] = (struct Field){array(bytes[1], shared), length, f};
        visit_side(&grids[0], &points[0], listed[0], fill, &from[f]);
        fields[f] = (transrank_field){.source = from[f].values,
                                      .source_bytes = bytes[0],
                                      .destination = to[f].values,
                                      .destination_bytes = bytes[1],
                                      .unit_bytes = 4 * length};
    }
    transrank_exchange* exchange = NULL;
    OK(transrank_exchange_bind(MPI_COMM_WORLD, route, count, fields, NULL, &exchange));
    OK(transrank_route_free(&route));
    move(exchange, how);
    for (int f = 0; f < count; ++f) {
        visit_side(&grids[1], &points[1], listed[1], compare, &to[f]);
    }
    OK(transrank_exchange_free(&exchange));
    for (int f = 0; f < count; ++f) {
        free_array(from[f].values, shared);
        free_array(to[f].values, shared);
    }
    for (int side = 0; side < 2; ++side) {
        OK(transrank_layout_free(&layouts[side]));
    }
}

// A periodic halo: around each block the cells have the values of those at the wrapped indices.
static void update_halo(void) {
    const int dimensions = between(1, 3);
    const int corners = between(0, 1);
    const int how = between(0, 3);
    int extent[3];
    for (int d = 0; d < dimensions; ++d) {
        extent[d] = between(1, 7);
    }
    struct Grid grid = draw_grid(dimensions, extent);
    for (int d = 0; d < dimensions; ++d) {
        grid.kind[d] = 0;
        const int thinnest = extent[d] / grid.parts[d];
        grid.halo[d] = (transrank_halo){.low = between(0, thinnest > 2 ? 2 : thinnest),
                                        .high = between(0, thinnest > 2 ? 2 : thinnest),
                                        .periodic = 1};
    }
    grid.halo[0].low = 1;
    transrank_layout* layout = layout_of(&grid);
    transrank_route* route = NULL;
    OK(transrank_route_halo(MPI_COMM_WORLD, layout, corners, &route));
    int64_t lengths[3];
    int64_t strides[3];
    int64_t units = -1;
    int64_t box[2][3];
    OK(transrank_layout_local(layout, rank, lengths, strides, &units));
    OK(transrank_layout_box(layout, rank, box[0], box[1]));
    struct Field field = {array(4 * units, how % 2), 1, 0};
    for_each_owned(&grid, fill, &field);
    const transrank_field bound = {.source = field.values,
                                   .source_bytes = 4 * units,
                                   .destination = field.values,
                                   .destination_bytes = 4 * units,
                                   .unit_bytes = 4};
    transrank_exchange* exchange = NULL;
    OK(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &bound, NULL, &exchange));
    move(exchange, how);
    for (int64_t unit = 0; unit < units; ++unit) {
        int cell = 0;
        int outside = 0;
        for (int d = 0; d < dimensions; ++d) {
            const int64_t at = ((unit / strides[d]) % lengths[d]) - grid.halo[d].low + box[0][d];
            outside += at < box[0][d] || at >= box[1][d];
            cell = (cell * extent[d]) + (int)((at + extent[d]) % extent[d]);
        }
        const int expected = outside <= 1 || corners == TRANSRANK_CORNERS_INCLUDED;
        CHECK(field.values[unit] == (expected ? in_cell(&field, cell, 0) : 0));
    }
    OK(transrank_exchange_free(&exchange));
    OK(transrank_route_free(&route));
    OK(transrank_layout_free(&layout));
    free_array(field.values, how % 2);
}

// ---- Alltoall.

static int block_of(int from, int to, const int* lengths) {
    return lengths[(from * ranks) + to];
}

static unsigned char in_block(int from, int to, int byte) {
    return (unsigned char)((50 * from) + (7 * to) + byte);
}

static void exchange_blocks(void) {
    static const char* const algorithms[] = {NULL, "linear", "pairwise", "mpi", "on-node-direct"};
    const int shared = between(0, 1);
    const int equal = between(0, 2);
    const int how = between(0, 3);
    const int length = between(0, 9);
    const int gap = between(0, 2);
    const transrank_alltoall_options options = {.algorithm = algorithms[between(0, 4)]};
    int lengths[MOST_RANKS * MOST_RANKS];
    for (int i = 0; i < ranks * ranks; ++i) {
        lengths[i] = equal ? length : between(0, 9);
    }
    int64_t bytes[2][MOST_RANKS];
    int64_t offsets[2][MOST_RANKS];
    int64_t ends[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        for (int r = 0; r < ranks; ++r) {
            bytes[side][r] = side == 0 ? block_of(rank, r, lengths) : block_of(r, rank, lengths);
            offsets[side][r] = ends[side];
            ends[side] += bytes[side][r] + (equal ? 0 : gap);
        }
    }
    unsigned char* send = array(ends[0], shared);
    unsigned char* receive = array(ends[1], shared);
    for (int r = 0; r < ranks; ++r) {
        for (int i = 0; i < bytes[0][r]; ++i) {
            send[offsets[0][r] + i] = in_block(rank, r, i);
        }
    }
    transrank_exchange* exchange = NULL;
    if (equal == 2) {
        OK(transrank_alltoall(MPI_COMM_WORLD, send, receive, length, &options));
    } else if (equal == 1) {
        OK(transrank_alltoall_bind(MPI_COMM_WORLD, send, receive, length, &options, &exchange));
        move(exchange, how);
    } else if (between(0, 1)) {
        OK(transrank_alltoallv_bind(MPI_COMM_WORLD, send, bytes[0], offsets[0], receive, bytes[1],
                                    offsets[1], &options, &exchange));
        move(exchange, how);
    } else {
        transrank_route* route = NULL;
        OK(transrank_route_alltoallv(MPI_COMM_WORLD, bytes[0], offsets[0], bytes[1], offsets[1],
                                     &route));
        const transrank_field field = {.source = send,
                                       .source_bytes = ends[0],
                                       .destination = receive,
                                       .destination_bytes = ends[1],
                                       .unit_bytes = 1};
        OK(transrank_exchange_bind(MPI_COMM_WORLD, route, 1, &field, NULL, &exchange));
        OK(transrank_route_free(&route));
        move(exchange, how);
    }
    for (int r = 0; r < ranks; ++r) {
        for (int i = 0; i < bytes[1][r]; ++i) {
            CHECK(receive[offsets[1][r] + i] == in_block(r, rank, i));
        }
    }
    OK(transrank_exchange_free(&exchange));
    free_array(send, shared);
    free_array(receive, shared);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    random_state = strtoull(argv[1], NULL, 10);
    const int trials = atoi(argv[2]);
    folder = argv[3];
    for (trial = 0; trial < trials; ++trial) {
        update_ghosts();
        redistribute();
        update_halo();
        exchange_blocks();
    }
    MPI_Finalize();
    return 0;
}
