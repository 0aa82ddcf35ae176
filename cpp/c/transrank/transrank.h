// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRANSRANK_TRANSRANK_H
#define TRANSRANK_TRANSRANK_H

/// The library for C. A program describes who owns what (layouts, numberings), makes a route from
/// that, and binds arrays to the route: an exchange, which then moves the data again and again.
///
/// Each function that takes a communicator is collective over it, and no other one is. An error on
/// one rank, or a difference between ranks (docs/exchange.md lists the arguments that may differ),
/// is the same error on all of them, before anything has moved: all return
/// TRANSRANK_ERROR_AGREED with one text. That includes null pointers, lengths and handles. A null
/// communicator is refused on its rank alone.
///
/// Functions return TRANSRANK_OK or another status. The last argument of those that make something
/// is where its handle goes; it becomes NULL when they fail. So a program may leave errors of calls
/// that are not collective to the next collective call, which refuses a NULL handle on all ranks.
///
/// Handles are freed in any order, and at different times on different ranks: what was made with a
/// handle does not need it any longer. Freeing sets the variable to NULL, and NULL may be freed. A
/// handle that was freed elsewhere, or is of another kind, is refused. One thread at a time may
/// use a handle.

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#include "transrank/version.h"

#ifdef __cplusplus
extern "C" {
#endif

// Errors.

/// What a function returns.
enum transrank_status {
    TRANSRANK_OK = 0,
    /// An argument is wrong. Nothing has happened, and no other rank knows of it.
    TRANSRANK_ERROR_ARGUMENT = 1,
    /// The arguments of some rank are wrong, or do not fit those of another. All ranks return this
    /// from this call, with the same text; nothing has moved.
    TRANSRANK_ERROR_AGREED = 2,
    /// A call in the wrong order, before MPI_Init, after MPI_Finalize or in a child of fork.
    TRANSRANK_ERROR_MISUSE = 3,
    /// Another rank has broken the exchange, or has ended. It must be bound again, or not used.
    TRANSRANK_ERROR_BROKEN = 4,
    /// A call of MPI has failed.
    TRANSRANK_ERROR_MPI = 5,
    /// Memory, a file descriptor or another resource of the system is missing.
    TRANSRANK_ERROR_RESOURCES = 6,
    /// Anything else.
    TRANSRANK_ERROR_INTERNAL = 7
};

/// The text of the last error that a function has returned in this thread, in UTF-8; "" when there
/// was none. It is there until the next error of this thread.
const char* transrank_error_text(void);

/// Not collective. The next call of this thread with a communicator is refused on all ranks, with
/// `why` and this rank's number as the text; its other arguments are not looked at. For interfaces
/// on top of this one, which may find an argument wrong that this one never sees.
int transrank_refuse(const char* why);

/// The version of the library, "0.1.0" for example.
const char* transrank_version(void);

// Memory.

/// Not collective. So many `bytes`, zeroed and page-aligned, that other processes of this node can
/// map where the system allows it: exchanges between such arrays need one copy. Private memory
/// elsewhere. Fails with TRANSRANK_ERROR_RESOURCES when there is neither.
int transrank_shared_alloc(int64_t bytes, void** memory);
/// Not collective. What is bound to the memory keeps it. Refuses memory that is not from
/// transrank_shared_alloc, or not its beginning.
int transrank_shared_free(void** memory);

// Layouts: who owns what.

/// Which part owns which of the indices [0, extent) of one dimension.
typedef struct transrank_distribution transrank_distribution;

/// Of [0, extent), `parts` ranges whose lengths differ by at most one, the longer ones first.
int transrank_distribution_even(int64_t extent, int parts, transrank_distribution** distribution);
/// Part p owns [boundaries[p], boundaries[p + 1]); of the parts + 1 boundaries the first is 0, the
/// last the extent. Parts may be empty.
int transrank_distribution_irregular(int parts, const int64_t* boundaries,
                                     transrank_distribution** distribution);
/// Of [0, extent), blocks of `block` indices dealt out to `parts` in turn, beginning with
/// `first_part`, as ScaLAPACK does; of one index: cyclic.
int transrank_distribution_block_cyclic(int64_t extent, int parts, int64_t block, int first_part,
                                        transrank_distribution** distribution);
/// How many indices (`count`) a part owns.
int transrank_distribution_owned(const transrank_distribution* distribution, int part,
                                 int64_t* count);
/// The part that owns an index, and at which `position` among its own indices, from 0.
int transrank_distribution_owner(const transrank_distribution* distribution, int64_t index,
                                 int* part, int64_t* position);
/// Not collective. Frees the handle, which becomes NULL; what was made with it stays.
int transrank_distribution_free(transrank_distribution** distribution);

/// How the cells of a grid lie on the ranks: as blocks, or as a list on each rank.
typedef struct transrank_layout transrank_layout;

/// The most dimensions of a grid.
enum { TRANSRANK_MAX_DIMENSIONS = 6 };

/// Which dimension varies fastest.
enum transrank_order {
    TRANSRANK_LAST_FASTEST = 0,  ///< C: the last dimension varies fastest
    TRANSRANK_FIRST_FASTEST = 1  ///< Fortran: the first one does
};

/// Rows of cells that surround a block in one dimension, in the local array only.
typedef struct transrank_halo {
    int64_t low;
    int64_t high;
    /// Not 0: the cells beyond one end of the grid are those at the other end.
    int periodic;
} transrank_halo;

/// Whatever differs from a C-ordered grid of bare blocks on the ranks from 0 on. Zeroes and null
/// pointers stand for that.
typedef struct transrank_grid_options {
    /// A transrank_order: which coordinate of a part varies fastest with the part's number.
    int part_order;
    /// One value for each dimension: the dimensions from the fastest to the slowest in local
    /// arrays. NULL: the last is fastest.
    const int* memory_order;
    /// One for each dimension. NULL: none.
    const transrank_halo* halo;
    /// The rank of each part. NULL: part p lies on rank p.
    const int* ranks;
} transrank_grid_options;

/// A grid of 1 to 6 dimensions, each divided by one of `distributions`: a part owns the cells
/// whose index in each dimension belongs to its coordinate there. A rank keeps its cells, one unit
/// each, and their halo in one dense local array. `options` may be NULL.
int transrank_layout_grid(int dimensions, const transrank_distribution* const* distributions,
                          const transrank_grid_options* options, transrank_layout** layout);
/// This rank keeps `count` cells, cells[i] in unit i, in any order. They are numbered from 0
/// through the whole grid in `numbering` order, a transrank_order; the list is copied.
int transrank_layout_points(int64_t count, const int64_t* cells, int numbering,
                            transrank_layout** layout);
/// The cells that a rank owns of a grid, [begin[d], end[d]) in each dimension d; from 0 to 0 in the
/// dimensions in which its part is empty, and in all on a rank without a part. Fails where they are
/// several ranges.
int transrank_layout_box(const transrank_layout* layout, int rank, int64_t* begin, int64_t* end);
/// A rank's local array of a grid, halo included: its lengths (`extents`, one for each dimension),
/// the units between neighbors in each dimension (`strides`), and its units. The lengths are 0 in
/// the dimensions in which the rank's part is empty, and in all on a rank without a part. Each
/// pointer may be NULL.
int transrank_layout_local(const transrank_layout* layout, int rank, int64_t* extents,
                           int64_t* strides, int64_t* units);
/// Not collective. Frees the handle, which becomes NULL; what was made with it stays.
int transrank_layout_free(transrank_layout** layout);

/// The rows of all ranks numbered through, in the order of the ranks.
typedef struct transrank_numbering transrank_numbering;

/// Collective. `owned` is this rank's number of rows. With `table`, the same on every rank and not
/// 0, a table of 8 bytes per rank is kept: then owners of rows are known without asking.
int transrank_numbering_create(MPI_Comm comm, int64_t owned, int table,
                               transrank_numbering** numbering);
/// This rank's rows are [begin, end) of `extent`. Each pointer may be NULL.
int transrank_numbering_range(const transrank_numbering* numbering, int64_t* begin, int64_t* end,
                              int64_t* extent);
/// The global index of a row, and the rank and row of a global index. They are known of any rank if
/// all ranks own equally many rows, or the first ones one more, or a table is kept. Otherwise they
/// are known of this rank.
int transrank_numbering_index(const transrank_numbering* numbering, int rank, int64_t row,
                              int64_t* index);
int transrank_numbering_place(const transrank_numbering* numbering, int64_t index, int* rank,
                              int64_t* row);
/// Not collective. Frees the handle, which becomes NULL; what was made with it stays.
int transrank_numbering_free(transrank_numbering** numbering);

// Routes.

/// What moves between whom. A route counts in units, whatever a field says one is.
typedef struct transrank_route transrank_route;

/// Which halo cells an update fills.
enum transrank_corners {
    TRANSRANK_CORNERS_INCLUDED = 0,  ///< all halo cells: what a stencil with diagonal terms reads
    TRANSRANK_CORNERS_LEFT_OUT = 1   ///< those beyond one face only: for a star-shaped stencil
};
/// Which cells of its destination a redistribution fills.
enum transrank_coverage {
    TRANSRANK_OWNED = 0,          ///< the destination's halo stays as it is
    TRANSRANK_OWNED_AND_HALO = 1  ///< halo cells are filled, too, from wherever they are owned
};

/// Collective. The halo update (halo exchange, ghost cell exchange) of a grid that was made with a
/// halo, if only of width 0: from the owned cells to the halo cells of one and the same local
/// array. `corners` is a transrank_corners. Refused is a part thinner than a halo that its
/// neighbors see.
int transrank_route_halo(MPI_Comm comm, const transrank_layout* grid, int corners,
                         transrank_route** route);
/// Collective. From one layout of a grid to another one, blocks or points each. A transposed array
/// is one whose memory order differs. `coverage` is a transrank_coverage. Refused are layouts of
/// different grids, cells that are not in the grid, or twice in the sources' lists, and source
/// lists that leave out a cell that the destination's grid has. Between two lists of points, equal
/// numbers are the same cell.
int transrank_route_redistribution(MPI_Comm comm, const transrank_layout* source,
                                   const transrank_layout* destination, int coverage,
                                   transrank_route** route);
/// Collective. Fetches `count` rows with these global indices from their owners: ghosts[i] arrives
/// at row begin + i of the destination, which has `extent` rows. An index may stand there more than
/// once, and be this rank's own.
int transrank_route_ghost_pull(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* ghosts, int64_t begin, int64_t extent,
                               transrank_route** route);
/// Collective. The same to any rows of a destination of `extent` rows: ghosts[i], of `count`,
/// arrives at row places[i]. Several may arrive at one row: in the order of their owners, and then
/// in that of the list.
int transrank_route_ghost_pull_at(MPI_Comm comm, const transrank_numbering* numbering,
                                  int64_t count, const int64_t* ghosts, const int64_t* places,
                                  int64_t extent, transrank_route** route);
/// Collective. The same from the owners' side: local row rows[i], of `count`, goes to rank
/// targets[i]. The ghosts of a rank lie from row `begin` of the destination on, in the order of the
/// ranks that push them, and then in that of the lists; see transrank_route_ghosts.
int transrank_route_ghost_push(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* rows, const int* targets, int64_t begin,
                               transrank_route** route);
/// Collective. The route of MPI_Alltoallv: send_counts[r] units from send_displacements[r] on go to
/// rank r, receive_counts[r] units from it arrive from receive_displacements[r] on.
int transrank_route_alltoallv(MPI_Comm comm, const int64_t* send_counts,
                              const int64_t* send_displacements, const int64_t* receive_counts,
                              const int64_t* receive_displacements, transrank_route** route);
/// Not collective. The way back: what was received is sent and the other way round.
int transrank_route_transposed(const transrank_route* route, transrank_route** back);
/// Collective. Each rank writes the file `place` with {rank} in it replaced, or rank-N.route in the
/// folder `place`. Folders are made. `place` may differ between ranks (local disks).
int transrank_route_save(MPI_Comm comm, const transrank_route* route, const char* place);
/// Collective. Reads what transrank_route_save wrote to `place` with as many ranks. Refuses files
/// that are missing, truncated, altered, or do not fit together.
int transrank_route_load(MPI_Comm comm, const char* place, transrank_route** route);
/// The units that this rank's source and destination arrays must have: at least, or exactly where
/// the side is a grid's. Each pointer may be NULL.
int transrank_route_extents(const transrank_route* route, int64_t* source, int64_t* destination);
/// The lengths of this rank's source and destination arrays where the sides are a grid's: of
/// TRANSRANK_MAX_DIMENSIONS the first ones, the slowest dimension in memory first, halo included.
/// `source_dimensions` and `destination_dimensions`, their numbers, are 0 for other routes. Each
/// pointer may be NULL.
int transrank_route_shapes(const transrank_route* route, int* source_dimensions, int64_t* source,
                           int* destination_dimensions, int64_t* destination);
/// The global index of each of the `count` ghosts of this rank, of a route from a ghost pull or
/// push; none of other routes. The list `ghosts` is the route's.
int transrank_route_ghosts(const transrank_route* route, int64_t* count, const int64_t** ghosts);
/// Not collective. Frees the handle, which becomes NULL; what was made with it stays.
int transrank_route_free(transrank_route** route);

// Exchanges: what is bound to arrays.

/// How arriving data are combined with the destination. Sums are the same bit by bit in every run.
/// Min and max with a NaN on either side are NaN; of two NaN, as of zeros of either sign, the one
/// that is there stays.
enum transrank_operation {
    TRANSRANK_ASSIGN = 0,
    TRANSRANK_ADD = 1,
    TRANSRANK_MIN = 2,
    TRANSRANK_MAX = 3
};

/// The type of the numbers in a unit, for operations other than assign.
enum transrank_scalar {
    TRANSRANK_OPAQUE = 0,  ///< assign only
    TRANSRANK_INT8 = 1,
    TRANSRANK_INT16 = 2,
    TRANSRANK_INT32 = 3,
    TRANSRANK_INT64 = 4,
    TRANSRANK_UINT8 = 5,
    TRANSRANK_UINT16 = 6,
    TRANSRANK_UINT32 = 7,
    TRANSRANK_UINT64 = 8,
    TRANSRANK_FLOAT32 = 9,
    TRANSRANK_FLOAT64 = 10
};

/// One dimension of an array.
typedef struct transrank_dimension {
    int64_t count;
    int64_t stride_bytes;  ///< from one element to the next one; may be negative
} transrank_dimension;

/// The places of elements that do not lie one after the other: a column, the inner part of a larger
/// array, a member of structs, a transposed or reversed array.
typedef struct transrank_view {
    int count;  ///< of dimensions
    /// The slowest one in the order of the units first, in whatever order they are in memory.
    const transrank_dimension* dimensions;
    int64_t element_bytes;
} transrank_view;

/// One array that an exchange moves, or two: where this rank's units lie, and how long one is.
/// Fields of one exchange may be parts of one allocation, and have a source in common; but no unit
/// that the route writes may lie where it reads, or where it writes one of another field. The
/// arrays stay the caller's and must stay where they are. After TRANSRANK_ERROR_BROKEN, or when an
/// exchange was freed under way, MPI and peers may still be using them: keep them until
/// MPI_Finalize, unless they are from transrank_shared_alloc.
///
/// An array with a view begins at the address of its first element, and its bytes are those of all
/// its elements. Views are a rank's own, and copied.
typedef struct transrank_field {
    const void* source;
    int64_t source_bytes;
    void* destination;
    int64_t destination_bytes;
    int64_t unit_bytes;
    int scalar;  ///< a transrank_scalar
    /// NULL: the elements lie one after the other.
    const transrank_view* source_view;
    const transrank_view* destination_view;
} transrank_field;

/// The same on every rank. Zeroes and null pointers stand for what is usual.
typedef struct transrank_options {
    int operation;  ///< a transrank_operation
    /// The name of a transport. NULL: the one that the environment variable TRANSRANK_TRANSPORT
    /// names; where it is not set, for each peer the best that can serve it.
    const char* transport;
    int64_t longest_message_bytes;  ///< longer messages are split; 0: only where MPI must
    /// Not 0: each start is given its fields, which are any like those that are bound. Peers do not
    /// reach into them.
    int any_memory;
    /// How many sets of fields stand one after the other, each like the first; each start moves one
    /// of them. At most 255; 0: one.
    int sets;
    /// Not 0: a promise that no rank puts off its start until a wait of another rank has returned.
    /// Where no transport is named, two nodes then send each other one message for all their ranks,
    /// if that makes fewer. A wait needs every rank that has a part in such a message, on both
    /// nodes, to have started, and the ranks that carry it to test or wait; in a program that
    /// breaks the promise it does not return.
    int together;
} transrank_options;

/// A route bound to arrays, a ghost update, or an alltoall.
///
/// From start until wait has returned (or test has said 1) the sources must not change and the
/// destinations are undefined; afterwards the destinations hold what was sent and the sources are
/// free. Test and wait make every started exchange of the process advance, so different ranks may
/// wait for theirs in any order. Between start and wait a rank must not block on what a peer does
/// only after that peer's wait. One thread at a time may use an exchange; start, test and wait
/// count as calls of MPI.
typedef struct transrank_exchange transrank_exchange;

/// Collective. `count` fields, in each set of them. `options` may be NULL. Refused are fields
/// shorter than the route's extents, along the route of a grid fields of another length than the
/// local array, and fields that are written where they or others are read or written. Ranks may not
/// differ in the number of fields or the lengths of their units. Refused are also routes that do
/// not belong together, an operation that the scalars do not have, and a transport that cannot
/// serve a peer.
int transrank_exchange_bind(MPI_Comm comm, const transrank_route* route, int count,
                            const transrank_field* fields, const transrank_options* options,
                            transrank_exchange** exchange);
/// Not collective, but no wait returns until every peer has started. Starting twice is
/// TRANSRANK_ERROR_MISUSE, and breaks the exchange.
int transrank_exchange_start(transrank_exchange* exchange);
/// The same with these `count` fields, like those that are bound: a set of them, or any others
/// where `any_memory` is. Peers need not know which. Fields that cannot be moved are
/// TRANSRANK_ERROR_ARGUMENT; then nothing has been started, nor broken.
int transrank_exchange_start_with(transrank_exchange* exchange, int count,
                                  const transrank_field* fields);
/// Makes progress; `done` becomes 1 when the exchange is over, until it is started again, else 0.
/// Before the first start it is TRANSRANK_ERROR_MISUSE, as wait is, and breaks the exchange.
int transrank_exchange_test(transrank_exchange* exchange, int* done);
/// Returns when the exchange is over, at once when it is.
int transrank_exchange_wait(transrank_exchange* exchange);
/// The same with a limit: `done` becomes 0 when it is not over after about `seconds`.
int transrank_exchange_wait_for(transrank_exchange* exchange, double seconds, int* done);
/// Starts, unless it is under way already, and waits. An alltoall by MPI's own algorithm is one
/// blocking call here; all ranks run then, or all start.
int transrank_exchange_run(transrank_exchange* exchange);
/// transrank_exchange_start_with of these `count` fields, and waits.
int transrank_exchange_run_with(transrank_exchange* exchange, int count,
                                const transrank_field* fields);
/// Not collective. Breaks the exchange because it cannot go on. Returns TRANSRANK_ERROR_MISUSE with
/// the text `why`; peers get TRANSRANK_ERROR_BROKEN naming this rank.
int transrank_exchange_abandon(transrank_exchange* exchange, const char* why);
/// Peers, bytes, runs, the transport of each peer and why it was chosen: a text table, which is the
/// exchange's until the next call.
int transrank_exchange_explain(transrank_exchange* exchange, const char** text);
/// Not collective. May be called at any time after the last wait, in any order on different ranks;
/// peers that start once more get TRANSRANK_ERROR_BROKEN. Also after MPI_Finalize; but before
/// `comm` is freed its exchanges should be.
int transrank_exchange_free(transrank_exchange** exchange);

// Ghost updates: rows of one length or of any, and copies of rows of other ranks in memory that the
// update has. For ghosts in an array of your own: transrank_route_ghost_pull and an exchange.

/// The rows that this rank owns.
typedef struct transrank_rows {
    int64_t count;
    /// Elements of each row, where all have one length on all ranks.
    int64_t length;
    /// count + 1 values for rows of any length: row i is the elements [offsets[i], offsets[i + 1]).
    /// NULL: all have one length. Copied.
    const int64_t* offsets;
    int64_t element_bytes;
    int scalar;  ///< a transrank_scalar, of each element
    void* data;
    int64_t data_bytes;
} transrank_rows;

/// Rows of this rank and copies of rows of others, in memory that the update has.
typedef struct transrank_ghost_update transrank_ghost_update;

/// Collective. Rows are numbered through all ranks, in rank order; ghost i of `count` is a copy of
/// the row with global index ghosts[i]. An index may stand there more than once, and be this rank's
/// own.
int transrank_ghost_update_pull(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* ghosts, transrank_ghost_update** update);
/// Collective. The same from the owners' side: row pushed[i], of `count`, becomes a ghost on rank
/// targets[i]. The ghosts of a rank stand in the order of the ranks that push them, and then in
/// that of the lists.
int transrank_ghost_update_push(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* pushed, const int* targets,
                                transrank_ghost_update** update);
/// Collective. With a route from owned rows to ghost rows that exists: one that was loaded.
int transrank_ghost_update_along(MPI_Comm comm, const transrank_rows* rows,
                                 const transrank_route* route, transrank_ghost_update** update);
/// Collective. With the ghosts of another update, whose rows may hold anything else, or had other
/// lengths.
int transrank_ghost_update_like(MPI_Comm comm, const transrank_rows* rows,
                                const transrank_ghost_update* other,
                                transrank_ghost_update** update);
/// The ghost rows: how many (`count`), the global index of each (`indices`; -1 where no row
/// arrives), the count + 1 offsets of their elements, and the elements (`data`), in memory as that
/// of transrank_shared_alloc. All are the update's, which frees them with itself and with the last
/// exchange bound to them. Each pointer may be NULL.
int transrank_ghost_update_ghosts(const transrank_ghost_update* update, int64_t* count,
                                  const int64_t** indices, const int64_t** offsets, void** data);

/// Which way rows and ghosts are updated.
enum transrank_direction {
    TRANSRANK_PULL = 0,  ///< from the owners to the ghosts
    /// The way back: what happens to each owned row with its ghosts, one after the other in the
    /// order of the ranks that hold them.
    TRANSRANK_PUSH = 1
};
/// Collective. `comm` is the communicator of the update, `direction` a transrank_direction;
/// `options` may be NULL, and have neither any memory nor sets.
int transrank_ghost_update_bind(MPI_Comm comm, const transrank_ghost_update* update, int direction,
                                const transrank_options* options, transrank_exchange** exchange);
/// Not collective. Frees the handle, which becomes NULL; what was made with it stays.
int transrank_ghost_update_free(transrank_ghost_update** update);

// Alltoall.

/// The same on every rank. Zeroes and null pointers stand for what is usual.
typedef struct transrank_alltoall_options {
    /// The name of an algorithm. NULL: the one that suits.
    const char* algorithm;
    /// The path of a file of choices, read by rank 0. NULL: what TRANSRANK_ALLTOALL_CHOICES says
    /// there, if it is set.
    const char* choices;
    int radix;           ///< of bruck; 0: 2
    int window;          ///< of linear-bounded; 0: 8
    int leaders;         ///< of node-leaders; 0: 2
    int ranks_per_node;  ///< consecutive ranks that share a node; 0: found out
    /// Lengths that the ranks fill, the first varying fastest. NULL: found out.
    const int* torus;
    int torus_dimensions;
    /// Not 0: each start is given one field, whose arrays hold all blocks and are in place if those
    /// bound are. Peers do not reach into them; MPI may.
    int any_memory;
} transrank_alltoall_options;

/// Collective. Blocks of `block_bytes` for every rank, in rank order, and from every rank; in place
/// when `send` and `receive` are the same. The arrays stay the caller's and where they are.
int transrank_alltoall_bind(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                            const transrank_alltoall_options* options,
                            transrank_exchange** exchange);
/// Collective. Blocks of any lengths, as MPI_Alltoallv: send_bytes[r] bytes from `send` +
/// send_offsets[r] go to rank r, receive_bytes[r] bytes from it to `receive` + receive_offsets[r].
/// Not in place. Refused is a block that is not as long as its receiver expects.
int transrank_alltoallv_bind(MPI_Comm comm, const void* send, const int64_t* send_bytes,
                             const int64_t* send_offsets, void* receive,
                             const int64_t* receive_bytes, const int64_t* receive_offsets,
                             const transrank_alltoall_options* options,
                             transrank_exchange** exchange);
/// Collective. One alltoall, bound, run and forgotten: blocks of `block_bytes` from `send`, one for
/// every rank, into `receive`, from every rank.
int transrank_alltoall(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                       const transrank_alltoall_options* options);

// For the module of Fortran. Beside these each function with a communicator, or whose errors name
// indices, has a twin that ends in _f: there a communicator is an MPI_Fint, and the texts of errors
// count from 1. They are not declared here.

/// Not collective. MPI_Comm_size, for a module that uses none of MPI.
int transrank_comm_size_f(MPI_Fint comm, int* ranks);

/// Memory with a handle, besides the address: a copy of an address that was freed may be that of
/// later memory, a handle is refused.
typedef struct transrank_memory transrank_memory;
int transrank_shared_alloc_f(int64_t bytes, void** memory, transrank_memory** handle);
int transrank_shared_free_f(transrank_memory** handle);

#ifdef __cplusplus
}
#endif

#endif
