// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRANSRANK_TRANSRANK_H
#define TRANSRANK_TRANSRANK_H

/// The library for C. A program describes which rank owns what (layouts, numberings), makes a route
/// from these descriptions, and binds arrays to the route. The result is an exchange, which can
/// move the data again and again.
///
/// Each function that takes a communicator is collective over it; no other function is collective.
/// If an argument is invalid on one rank, or differs between ranks although it must not
/// (docs/exchange.md lists the arguments that may differ), nothing is moved, and all ranks return
/// TRANSRANK_ERROR_AGREED with the same text. This includes null pointers, invalid lengths and
/// invalid handles. A null communicator is refused only on the rank that passes it.
///
/// Functions return TRANSRANK_OK or another transrank_status. A function that makes an object
/// stores its handle where the last argument points; if the function fails, it stores NULL there.
/// So a program need not check the calls that are not collective: the next collective call refuses
/// the NULL handle on all ranks.
///
/// Handles may be freed in any order, and at different times on different ranks: an object does not
/// need the handles that it was made from. Freeing a handle sets the variable to NULL; freeing NULL
/// does nothing. A handle of another kind, or one that was freed through another variable, is
/// refused. Only one thread at a time may use a handle.

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#include "transrank/version.h"

#ifdef __cplusplus
extern "C" {
#endif

// Errors.

/// The status that a function returns.
enum transrank_status {
    TRANSRANK_OK = 0,
    /// An argument is invalid. Nothing has happened, and no other rank knows of the error.
    TRANSRANK_ERROR_ARGUMENT = 1,
    /// The arguments of some rank are invalid, or do not fit those of another rank. All ranks
    /// return this status from this call, with the same text; nothing has been moved.
    TRANSRANK_ERROR_AGREED = 2,
    /// The call came in the wrong order, before MPI_Init, after MPI_Finalize, or in a child of
    /// fork.
    TRANSRANK_ERROR_MISUSE = 3,
    /// Another rank has broken the exchange or freed it, or its process has ended. The exchange
    /// cannot be used any more; bind a new one.
    TRANSRANK_ERROR_BROKEN = 4,
    /// A call of MPI has failed.
    TRANSRANK_ERROR_MPI = 5,
    /// Memory, file descriptors or another resource of the system are used up.
    TRANSRANK_ERROR_RESOURCES = 6,
    /// Any other error.
    TRANSRANK_ERROR_INTERNAL = 7
};

/// Not collective. Returns the text, in UTF-8, of the last error that a function has returned in
/// this thread, or "" if there was none. The text is valid until the next error of this thread.
const char* transrank_error_text(void);

/// Not collective. Makes the next call of this thread with a communicator fail on all ranks, with
/// `why` and the number of this rank as the text; its other arguments are ignored. For interfaces
/// on top of this one, which may find an argument invalid that this one never sees.
int transrank_refuse(const char* why);

/// Not collective. Returns the version of the library, for example "0.1.0".
const char* transrank_version(void);

// Memory.

/// Not collective. Stores in `memory` the address of `bytes` bytes, zeroed and page-aligned. If the
/// system allows it, other processes of this node can map them: exchanges between such arrays need
/// one copy. Otherwise, the memory is private. Returns TRANSRANK_ERROR_RESOURCES if there is
/// neither.
int transrank_shared_alloc(int64_t bytes, void** memory);
/// Not collective. Frees memory of transrank_shared_alloc; `memory` becomes NULL. Exchanges that
/// are bound to the memory keep it alive. Other addresses, and addresses inside such memory, are
/// refused.
int transrank_shared_free(void** memory);

// Layouts: who owns what.

/// A distribution says which part owns which of the indices [0, extent) of one dimension of a grid.
typedef struct transrank_distribution transrank_distribution;

/// Not collective. Divides [0, extent) into `parts` ranges whose lengths differ by at most one; the
/// longer ranges come first.
int transrank_distribution_even(int64_t extent, int parts, transrank_distribution** distribution);
/// Not collective. Part p owns [boundaries[p], boundaries[p + 1]). There are `parts` + 1
/// boundaries, which must not descend: the first is 0, the last is the extent. Parts may be empty.
int transrank_distribution_irregular(int parts, const int64_t* boundaries,
                                     transrank_distribution** distribution);
/// Not collective. Divides [0, extent) into blocks of `block` indices, and deals the blocks out to
/// `parts` parts in turn, beginning with part `first_part`, as ScaLAPACK does. If `block` is 1, the
/// distribution is cyclic.
int transrank_distribution_block_cyclic(int64_t extent, int parts, int64_t block, int first_part,
                                        transrank_distribution** distribution);
/// Not collective. Stores in `count` how many indices `part` owns.
int transrank_distribution_owned(const transrank_distribution* distribution, int part,
                                 int64_t* count);
/// Not collective. Finds the `part` that owns `index`, and the `position` of the index among all
/// indices of this part, counted from 0.
int transrank_distribution_owner(const transrank_distribution* distribution, int64_t index,
                                 int* part, int64_t* position);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_distribution_free(transrank_distribution** distribution);

/// A layout says which cells of a grid each rank keeps: a block of the grid, or a list of cells.
typedef struct transrank_layout transrank_layout;

/// The maximum number of dimensions of a grid.
enum { TRANSRANK_MAX_DIMENSIONS = 6 };

/// Which dimension varies fastest.
enum transrank_order {
    TRANSRANK_LAST_FASTEST = 0,  ///< C: the last dimension varies fastest
    TRANSRANK_FIRST_FASTEST = 1  ///< Fortran: the first dimension varies fastest
};

/// The widths of the halo in one dimension, in cells: `low` before the block, `high` behind it.
/// Only local arrays contain the halo.
typedef struct transrank_halo {
    int64_t low;
    int64_t high;
    /// Not 0: the cells beyond one end of the grid are the cells at its other end.
    int periodic;
} transrank_halo;

/// Options of a grid. Zeroes and null pointers stand for the default: parts numbered and arrays
/// stored in the order of C, no halo, and part p on rank p.
typedef struct transrank_grid_options {
    /// A transrank_order: which coordinate of a part varies fastest if the parts are counted
    /// through.
    int part_order;
    /// The dimensions, sorted from the fastest to the slowest in local arrays; one value for each
    /// dimension. NULL: the last dimension is the fastest.
    const int* memory_order;
    /// One halo for each dimension. NULL: there is no halo.
    const transrank_halo* halo;
    /// The rank of each part. NULL: part p is on rank p.
    const int* ranks;
} transrank_grid_options;

/// Not collective. Describes a grid of 1 to 6 `dimensions`; distributions[d] divides dimension d. A
/// part owns the cells whose index in each dimension belongs to the coordinate of the part there. A
/// rank keeps its cells and their halo in one dense local array; each cell is one unit, the element
/// that routes count. `options` may be NULL.
int transrank_layout_grid(int dimensions, const transrank_distribution* const* distributions,
                          const transrank_grid_options* options, transrank_layout** layout);
/// Not collective. This rank keeps `count` cells in any order: cells[i] is the number of the cell
/// in unit (element) i of its array. The cells of the whole grid are numbered from 0 in the order
/// `numbering`, a transrank_order. The list is copied.
int transrank_layout_points(int64_t count, const int64_t* cells, int numbering,
                            transrank_layout** layout);
/// Not collective. In each dimension d of a grid, `rank` owns the cells [begin[d], end[d]). Both
/// are 0 in a dimension in which its part is empty, and in all dimensions if it has no part.
/// Returns TRANSRANK_ERROR_ARGUMENT if the cells are several ranges, or `layout` is a list of
/// points.
int transrank_layout_box(const transrank_layout* layout, int rank, int64_t* begin, int64_t* end);
/// Not collective. Describes the local array of `rank` in a grid, halo included: the length in each
/// dimension (`extents`), the units between neighbors in each dimension (`strides`), and the number
/// of all `units`. The length is 0 in a dimension in which the part is empty, and in all dimensions
/// if the rank has no part. Each pointer may be NULL. A list of points is refused.
int transrank_layout_local(const transrank_layout* layout, int rank, int64_t* extents,
                           int64_t* strides, int64_t* units);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_layout_free(transrank_layout** layout);

/// The global indices of the rows of all ranks, from 0: first the rows of rank 0, then those of
/// rank 1, and so on.
typedef struct transrank_numbering transrank_numbering;

/// Collective. Numbers the rows of all ranks; `owned` is the number of rows of this rank. If
/// `table` is not 0, each rank keeps a table of 8 bytes per rank, so that it finds the owner of any
/// row without communication. `table` must be the same on all ranks.
int transrank_numbering_create(MPI_Comm comm, int64_t owned, int table,
                               transrank_numbering** numbering);
/// Not collective. The rows of this rank have the global indices [begin, end); all ranks together
/// have `extent` rows. Each pointer may be NULL.
int transrank_numbering_range(const transrank_numbering* numbering, int64_t* begin, int64_t* end,
                              int64_t* extent);
/// Not collective. One function stores the global `index` of row `row` of `rank`, the other the
/// `rank` and `row` of a global `index`. They know the rows of all ranks if a table is kept, if all
/// ranks own equally many rows, or if the first ranks own one row more; otherwise only the rows of
/// this rank. Other rows are refused with TRANSRANK_ERROR_ARGUMENT.
int transrank_numbering_index(const transrank_numbering* numbering, int rank, int64_t row,
                              int64_t* index);
int transrank_numbering_place(const transrank_numbering* numbering, int64_t index, int* rank,
                              int64_t* row);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_numbering_free(transrank_numbering** numbering);

// Routes.

/// A route says which units move from which rank to which. A unit is one element of an array, such
/// as a cell or a row; each field gives the length of its units in bytes.
typedef struct transrank_route transrank_route;

/// Which halo cells a halo update fills.
enum transrank_corners {
    TRANSRANK_CORNERS_INCLUDED = 0,  ///< all halo cells, for stencils with diagonal terms
    TRANSRANK_CORNERS_LEFT_OUT = 1   ///< only cells beyond a face, for star-shaped stencils
};
/// Which cells of its destination a redistribution fills.
enum transrank_coverage {
    TRANSRANK_OWNED = 0,          ///< the owned cells; the halo stays as it is
    TRANSRANK_OWNED_AND_HALO = 1  ///< the halo cells, too, each from the owner of the cell
};

/// Collective. Makes the route of a halo update (halo exchange, ghost cell exchange): from the
/// owned cells of `grid` to the halo cells of the same local array. The grid must have been made
/// with a halo, which may have the width 0. `corners` is a transrank_corners. If a part is thinner
/// than a halo of its neighbors, all ranks return TRANSRANK_ERROR_AGREED.
int transrank_route_halo(MPI_Comm comm, const transrank_layout* grid, int corners,
                         transrank_route** route);
/// Collective. Makes the route from the layout `source` to the layout `destination` of the same
/// grid; each may be blocks or points. To transpose an array, give the destination another memory
/// order. `coverage` is a transrank_coverage. Between two lists of points, equal numbers mean the
/// same cell. Different grids are refused with TRANSRANK_ERROR_AGREED. So are lists with a cell
/// that is not in the grid, and source lists that contain a cell twice or leave out a cell of a
/// destination of blocks.
int transrank_route_redistribution(MPI_Comm comm, const transrank_layout* source,
                                   const transrank_layout* destination, int coverage,
                                   transrank_route** route);
/// Collective. Makes the route by which this rank fetches `count` rows, its ghosts, from their
/// owners: the row with the global index ghosts[i] arrives at row `begin` + i of the destination,
/// which has `extent` rows. `ghosts` may contain an index several times, and rows of this rank
/// itself.
int transrank_route_ghost_pull(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* ghosts, int64_t begin, int64_t extent,
                               transrank_route** route);
/// Collective. As transrank_route_ghost_pull, but to any rows of the destination, which has
/// `extent` rows: the row with the global index ghosts[i], of `count`, arrives at row places[i].
/// Ghosts that arrive at the same row do so in the order of their owners' ranks, then in the order
/// of the list.
int transrank_route_ghost_pull_at(MPI_Comm comm, const transrank_numbering* numbering,
                                  int64_t count, const int64_t* ghosts, const int64_t* places,
                                  int64_t extent, transrank_route** route);
/// Collective. As transrank_route_ghost_pull, but the owners choose: row rows[i], of `count`, of
/// this rank becomes a ghost on rank targets[i]. The ghosts of a rank lie from row `begin` of its
/// destination on, sorted by the rank that pushes them, then in the order of the lists.
/// transrank_route_ghosts returns their global indices.
int transrank_route_ghost_push(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* rows, const int* targets, int64_t begin,
                               transrank_route** route);
/// Collective. Makes the route of MPI_Alltoallv: send_counts[r] units, from send_displacements[r]
/// on, go to rank r; receive_counts[r] units from rank r arrive from receive_displacements[r] on.
/// If the sender and the receiver of a block give different counts, it is refused with
/// TRANSRANK_ERROR_AGREED.
int transrank_route_alltoallv(MPI_Comm comm, const int64_t* send_counts,
                              const int64_t* send_displacements, const int64_t* receive_counts,
                              const int64_t* receive_displacements, transrank_route** route);
/// Not collective. Makes the reverse of `route`: what was received is sent, and what was sent is
/// received.
int transrank_route_transposed(const transrank_route* route, transrank_route** back);
/// Collective. Each rank writes its part of the route to the file `place`, in which {rank} is
/// replaced by its number. Without {rank}, `place` is a folder, and the file of rank N in it is
/// rank-N.route. Missing folders are created. `place` may differ between ranks (local disks).
int transrank_route_save(MPI_Comm comm, const transrank_route* route, const char* place);
/// Collective. Reads what transrank_route_save wrote to `place` with the same number of ranks.
/// Files that are missing, truncated or altered, or do not fit together, are refused with
/// TRANSRANK_ERROR_AGREED.
int transrank_route_load(MPI_Comm comm, const char* place, transrank_route** route);
/// Not collective. The numbers of units that this rank's `source` and `destination` arrays must
/// have. An array for a grid must have exactly this number, other arrays may have more. Each
/// pointer may be NULL.
int transrank_route_extents(const transrank_route* route, int64_t* source, int64_t* destination);
/// Not collective. The lengths, halo included, of this rank's `source` and `destination` arrays if
/// they belong to a grid, the slowest dimension in memory first. Each list needs room for
/// TRANSRANK_MAX_DIMENSIONS values. `source_dimensions` and `destination_dimensions` are the
/// numbers of values; 0 if the array does not belong to a grid. Each pointer may be NULL.
int transrank_route_shapes(const transrank_route* route, int* source_dimensions, int64_t* source,
                           int* destination_dimensions, int64_t* destination);
/// Not collective. The global index of each of the `count` ghosts of this rank, if the route was
/// made by a ghost pull or push; other routes have none. The list `ghosts` is valid until the route
/// is freed.
int transrank_route_ghosts(const transrank_route* route, int64_t* count, const int64_t** ghosts);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_route_free(transrank_route** route);

// Exchanges: what is bound to arrays.

/// How arriving data are combined with the destination. Sums are bitwise identical in every run. If
/// one of two values is NaN, their minimum and maximum are NaN. If both values are NaN, or both are
/// zeros, the value in the destination stays.
enum transrank_operation {
    TRANSRANK_ASSIGN = 0,
    TRANSRANK_ADD = 1,
    TRANSRANK_MIN = 2,
    TRANSRANK_MAX = 3
};

/// The type of the numbers in a unit. Only operations other than assign need it.
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

/// One dimension of the array that a transrank_view describes.
typedef struct transrank_dimension {
    int64_t count;
    int64_t stride_bytes;  ///< from one element to the next; may be negative
} transrank_dimension;

/// Describes the places of elements that do not lie one after the other: a column, the interior of
/// a larger array, a member of structs, or a transposed or reversed array.
typedef struct transrank_view {
    int count;  ///< the number of dimensions
    /// In the order in which the units are counted: first the dimension whose index changes
    /// slowest. Their order in memory does not matter.
    const transrank_dimension* dimensions;
    int64_t element_bytes;
} transrank_view;

/// A source array and a destination array, which may be the same array: where the units of this
/// rank lie, and how long one unit is. Fields of one exchange may be parts of one allocation, and
/// may have the same source. But where the route writes a unit, it must neither read one nor write
/// one of another field.
///
/// The arrays belong to the caller, and must not be moved or freed while they are bound. After
/// TRANSRANK_ERROR_BROKEN, or if an exchange was freed under way, MPI and peers may still access
/// the arrays: keep them until MPI_Finalize, unless they are from transrank_shared_alloc.
///
/// The address of an array with a view is that of its first element; its length in bytes counts
/// only its elements, not the gaps. Views may differ between ranks, and are copied.
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

/// Options of an exchange, the same on every rank. Zeroes and null pointers stand for the defaults.
typedef struct transrank_options {
    int operation;  ///< a transrank_operation
    /// The name of a transport, the way in which data move. NULL: the transport named by the
    /// environment variable TRANSRANK_TRANSPORT; if it is not set, the best one for each peer.
    const char* transport;
    int64_t longest_message_bytes;  ///< longer messages are split; 0: only if MPI must
    /// Not 0: each start is given its fields, which may be any fields with the lengths, types and
    /// views of the bound ones. Peers do not reach into the arrays of these fields.
    int any_memory;
    /// How many sets of fields the array of fields contains, one after the other, each like the
    /// first. Each start moves one set. At most 255; 0 means one set.
    int sets;
    /// Not 0: a promise that no rank waits for another rank's wait to return before it starts. If
    /// no transport is named, two nodes may then send each other one message for all their ranks,
    /// if that makes fewer messages. A wait does not return before all ranks that share such a
    /// message, on both nodes, have started, and the ranks that carry it have called test or wait.
    /// If the program breaks the promise, the wait never returns.
    int together;
} transrank_options;

/// A route that is bound to arrays, a ghost update, or an alltoall.
///
/// From start until wait has returned (or test has stored 1), the sources must not change, and the
/// destinations are undefined. Then the destinations hold what was sent, and the sources may
/// change. Test and wait advance all started exchanges of the process, so ranks may wait for their
/// exchanges in different orders. Between start and wait, a rank must not block in a call that
/// returns only after the wait of a peer (a rank that it sends to or receives from). Each call of
/// an exchange that was broken returns the error that broke it. One thread at a time may use an
/// exchange; start, test and wait count as calls of MPI.
typedef struct transrank_exchange transrank_exchange;

/// Collective. Binds `count` `fields`, in each set of fields, to the route. `options` may be NULL.
/// All ranks must give the same number of fields, with the same lengths of units.
///
/// TRANSRANK_ERROR_AGREED is returned if a field is shorter than the route's extent or, for a grid,
/// has another length than the local array; if the route writes a unit where it reads or writes
/// another; if the routes do not belong together; if the scalars do not have the operation; or if
/// the transport cannot serve a peer.
int transrank_exchange_bind(MPI_Comm comm, const transrank_route* route, int count,
                            const transrank_field* fields, const transrank_options* options,
                            transrank_exchange** exchange);
/// Not collective. Starts the exchange without waiting for peers; no wait returns until every peer
/// has started. Returns TRANSRANK_ERROR_MISUSE if it is already under way (start was called twice),
/// which breaks the exchange, or if its communicator was freed; TRANSRANK_ERROR_BROKEN if an
/// earlier call has found that a peer has broken the exchange, freed it or ended (what start itself
/// finds, the next test or wait returns); TRANSRANK_ERROR_ARGUMENT if it was bound with
/// `any_memory`: a start then needs fields.
int transrank_exchange_start(transrank_exchange* exchange);
/// Not collective. As transrank_exchange_start, but moves these `count` `fields`, which are like
/// the bound ones: a set of them or, with `any_memory`, any others. Peers need not know which.
/// Fields that cannot be moved are refused with TRANSRANK_ERROR_ARGUMENT; then nothing is started
/// or broken. Returns TRANSRANK_ERROR_MISUSE if the exchange is already under way, which breaks it,
/// and TRANSRANK_ERROR_BROKEN if an earlier call has found that a peer has broken it, freed it or
/// ended.
int transrank_exchange_start_with(transrank_exchange* exchange, int count,
                                  const transrank_field* fields);
/// Not collective. Makes progress. `done` becomes 1 if the exchange is over, until it is started
/// again; otherwise 0. Returns TRANSRANK_ERROR_MISUSE before the first start, which breaks the
/// exchange; TRANSRANK_ERROR_BROKEN if a peer has broken the exchange, freed it or ended;
/// TRANSRANK_ERROR_ARGUMENT if `done` is NULL.
int transrank_exchange_test(transrank_exchange* exchange, int* done);
/// Not collective. Returns when the exchange is over, at once if it already is. Returns
/// TRANSRANK_ERROR_MISUSE before the first start, which breaks the exchange; TRANSRANK_ERROR_BROKEN
/// if a peer has broken the exchange, freed it or ended.
int transrank_exchange_wait(transrank_exchange* exchange);
/// Not collective. As transrank_exchange_wait, but returns after about `seconds` even if the
/// exchange is not over: then `done` becomes 0, otherwise 1. Returns TRANSRANK_ERROR_MISUSE before
/// the first start, which breaks the exchange; TRANSRANK_ERROR_BROKEN if a peer has broken the
/// exchange, freed it or ended; TRANSRANK_ERROR_ARGUMENT if `seconds` is not a number or `done` is
/// NULL.
int transrank_exchange_wait_for(transrank_exchange* exchange, double seconds, int* done);
/// Not collective. Starts the exchange, unless it is already under way, and waits until it is over.
/// For an alltoall by MPI's own algorithm, run is one blocking MPI call: either all ranks run, or
/// all start. Returns TRANSRANK_ERROR_BROKEN if a peer has broken the exchange, freed it or ended;
/// TRANSRANK_ERROR_MISUSE if this rank has broken it, or its communicator was freed;
/// TRANSRANK_ERROR_ARGUMENT if it was bound with `any_memory`: a start then needs fields.
int transrank_exchange_run(transrank_exchange* exchange);
/// Not collective. Does transrank_exchange_start_with of these `count` `fields`, and waits until
/// the exchange is over. Fields that cannot be moved are refused with TRANSRANK_ERROR_ARGUMENT;
/// then nothing is started or broken. Returns TRANSRANK_ERROR_MISUSE if the exchange is already
/// under way, which breaks it; TRANSRANK_ERROR_BROKEN if a peer has broken it, freed it or ended.
int transrank_exchange_run_with(transrank_exchange* exchange, int count,
                                const transrank_field* fields);
/// Not collective. Breaks the exchange, because this rank cannot go on with it. Always returns an
/// error: TRANSRANK_ERROR_MISUSE with the text `why`. Peers get TRANSRANK_ERROR_BROKEN, with a text
/// that names this rank.
int transrank_exchange_abandon(transrank_exchange* exchange, const char* why);
/// Not collective. Stores in `text` a text table: peers, bytes, runs (contiguous pieces), the
/// transport of each peer and why it was chosen. The text belongs to the exchange, and is valid
/// until the next explain.
int transrank_exchange_explain(transrank_exchange* exchange, const char** text);
/// Not collective. Frees the handle, which becomes NULL. Allowed at any time after the last wait,
/// in any order on different ranks, and after MPI_Finalize. Peers that start the exchange once more
/// get TRANSRANK_ERROR_BROKEN. Free an exchange before its communicator.
int transrank_exchange_free(transrank_exchange** exchange);

// Ghost updates keep copies of rows of other ranks, the ghosts, in memory that the update
// allocates. Rows may have different lengths. For ghosts in an array of your own, use
// transrank_route_ghost_pull and an exchange.

/// The rows that this rank owns, and where they lie.
typedef struct transrank_rows {
    int64_t count;
    /// The number of elements of each row, if all rows of all ranks have the same length.
    int64_t length;
    /// For rows of different lengths: `count` + 1 values; row i is the elements [offsets[i],
    /// offsets[i + 1]). The list is copied. NULL: all rows have the length `length`.
    const int64_t* offsets;
    int64_t element_bytes;
    int scalar;  ///< a transrank_scalar: the type of the elements
    void* data;
    int64_t data_bytes;
} transrank_rows;

/// A ghost update: rows of this rank, and copies of rows of other ranks (ghosts) in memory that the
/// update allocates.
typedef struct transrank_ghost_update transrank_ghost_update;

/// Collective. Makes an update in which this rank chooses its ghosts: ghost i, of `count`, is a
/// copy of the row with the global index ghosts[i]. Global indices number the `rows` of all ranks,
/// in rank order. `ghosts` may contain an index several times, and rows of this rank itself.
int transrank_ghost_update_pull(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* ghosts, transrank_ghost_update** update);
/// Collective. Makes an update in which the owners choose the ghosts: row pushed[i], of `count`, of
/// this rank's `rows` becomes a ghost on rank targets[i]. The ghosts of a rank are sorted by the
/// rank that pushes them, then in the order of the lists.
int transrank_ghost_update_push(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* pushed, const int* targets,
                                transrank_ghost_update** update);
/// Collective. Makes an update along an existing `route` from owned `rows` to ghosts, for example a
/// route that transrank_route_load has read.
int transrank_ghost_update_along(MPI_Comm comm, const transrank_rows* rows,
                                 const transrank_route* route, transrank_ghost_update** update);
/// Collective. Makes an update with the same ghosts as the update `other`. The elements and lengths
/// of the `rows` may differ from those of `other`.
int transrank_ghost_update_like(MPI_Comm comm, const transrank_rows* rows,
                                const transrank_ghost_update* other,
                                transrank_ghost_update** update);
/// Not collective. The ghosts of this rank: their number (`count`), the global index of each
/// (`indices`; -1 if no row arrives there), the `count` + 1 offsets of their elements, and the
/// elements (`data`), in memory like that of transrank_shared_alloc. Ghost i is the elements
/// [offsets[i], offsets[i + 1]). The update owns all this; `data` also stays until the last
/// exchange bound to the update is freed. Each pointer may be NULL.
int transrank_ghost_update_ghosts(const transrank_ghost_update* update, int64_t* count,
                                  const int64_t** indices, const int64_t** offsets, void** data);

/// In which direction an exchange of a ghost update moves data.
enum transrank_direction {
    TRANSRANK_PULL = 0,  ///< from the owners to the ghosts
    /// From the ghosts back to the owners: the operation combines each owned row with its ghosts,
    /// one after another, in the order of the ranks that hold the ghosts.
    TRANSRANK_PUSH = 1
};
/// Collective. Binds an exchange of the rows and ghosts of the update. `comm` is the communicator
/// of the update, `direction` a transrank_direction. `options` may be NULL, and must ask for
/// neither `any_memory` nor several `sets`.
int transrank_ghost_update_bind(MPI_Comm comm, const transrank_ghost_update* update, int direction,
                                const transrank_options* options, transrank_exchange** exchange);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_ghost_update_free(transrank_ghost_update** update);

// Alltoall.

/// Options of an alltoall, the same on every rank. Zeroes and null pointers stand for the defaults.
typedef struct transrank_alltoall_options {
    /// The name of an algorithm. NULL: the library chooses one.
    const char* algorithm;
    /// The path of a file that names algorithms for lengths of blocks, as `transrank tune` writes
    /// it; rank 0 reads it. NULL: the file that TRANSRANK_ALLTOALL_CHOICES names on rank 0, if it
    /// is set.
    const char* choices;
    int radix;           ///< for the algorithm bruck; 0: 2
    int window;          ///< for linear-bounded; 0: 8
    int leaders;         ///< for node-leaders; 0: 2
    int ranks_per_node;  ///< consecutive ranks that share a node; 0: determined
    /// The lengths of a torus that the ranks fill, the first dimension varying fastest. NULL:
    /// determined from the number of ranks.
    const int* torus;
    int torus_dimensions;
    /// Not 0: each start is given one field. Its arrays hold all blocks; they must be one array if
    /// the bound arrays are (in place). Peers do not reach into them, but MPI may.
    int any_memory;
} transrank_alltoall_options;

/// Collective. Binds an alltoall: this rank sends a block of `block_bytes` from `send` to every
/// rank, in rank order, and receives one from every rank into `receive`. It is in place if `send`
/// and `receive` are the same. The arrays belong to the caller, and must not be moved or freed
/// while bound.
int transrank_alltoall_bind(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                            const transrank_alltoall_options* options,
                            transrank_exchange** exchange);
/// Collective. Binds an alltoall of blocks of any lengths, as MPI_Alltoallv: send_bytes[r] bytes
/// from `send` + send_offsets[r] go to rank r; receive_bytes[r] bytes from rank r arrive at
/// `receive` + receive_offsets[r]. It is never in place. A block that is not as long as its
/// receiver expects is refused with TRANSRANK_ERROR_AGREED.
int transrank_alltoallv_bind(MPI_Comm comm, const void* send, const int64_t* send_bytes,
                             const int64_t* send_offsets, void* receive,
                             const int64_t* receive_bytes, const int64_t* receive_offsets,
                             const transrank_alltoall_options* options,
                             transrank_exchange** exchange);
/// Collective. Binds, runs and frees one alltoall: this rank sends a block of `block_bytes` from
/// `send` to every rank, in rank order, and receives one from every rank into `receive`.
int transrank_alltoall(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                       const transrank_alltoall_options* options);

// For the module of Fortran. Each function that takes a communicator, or whose errors name indices,
// also has a twin whose name ends in _f: its communicator is an MPI_Fint, and the texts of its
// errors count from 1. The twins are not declared here, apart from the functions below.

/// Not collective. Stores in `ranks` what MPI_Comm_size returns, for a module that does not use
/// MPI.
int transrank_comm_size_f(MPI_Fint comm, int* ranks);

/// Memory that has a handle besides its address. After memory was freed, its address may belong to
/// other memory, but its handle is refused.
typedef struct transrank_memory transrank_memory;
int transrank_shared_alloc_f(int64_t bytes, void** memory, transrank_memory** handle);
int transrank_shared_free_f(transrank_memory** handle);

#ifdef __cplusplus
}
#endif

#endif
