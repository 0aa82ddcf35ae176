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
/// TRANSRANK_ERROR_AGREED with the same text. Null pointers, invalid lengths and invalid handles
/// count as invalid arguments. A null communicator is refused only on the rank that passes it.
///
/// Functions return TRANSRANK_OK or another transrank_status. A function that makes an object
/// stores its handle where the last argument points; if the function fails, it stores NULL there.
/// So a program need not check the calls that are not collective: the next collective call refuses
/// the NULL handle on all ranks.
///
/// Handles may be freed in any order, and at different times on different ranks: an object does not
/// need the handles that it was made from. Freeing a handle sets the variable to NULL; freeing NULL
/// has no effect. A handle of the wrong kind, or one that was freed through another variable, is
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
    /// The arguments of some rank are invalid, or do not match the arguments of another rank. All
    /// ranks return this status from this call, with the same text; nothing has been moved.
    TRANSRANK_ERROR_AGREED = 2,
    /// The call was made in the wrong order, before MPI_Init, after MPI_Finalize, or in a child
    /// process that fork made.
    TRANSRANK_ERROR_MISUSE = 3,
    /// Another rank has broken the exchange or freed it, or its process has ended. The exchange
    /// cannot be used any more; bind a new one.
    TRANSRANK_ERROR_BROKEN = 4,
    /// An MPI call has failed.
    TRANSRANK_ERROR_MPI = 5,
    /// Memory, file descriptors or another resource of the system are used up.
    TRANSRANK_ERROR_RESOURCES = 6,
    /// Any other error.
    TRANSRANK_ERROR_INTERNAL = 7
};

/// Not collective. Returns the text, in UTF-8, of the last error that a function has returned in
/// this thread, or "" if there was none. The text is valid until the next error of this thread.
const char* transrank_error_text(void);

/// Not collective. Makes the next call of this thread that takes a communicator fail on all ranks.
/// The error text is the number of this rank and `why`; the other arguments of that call are
/// ignored. Interfaces on top of this one use this function for invalid arguments that this
/// interface never sees.
int transrank_refuse(const char* why);

/// Not collective. Returns the version of the library, for example "0.1.0".
const char* transrank_version(void);

// Memory.

/// Not collective. Allocates `bytes` bytes, zeroed and page-aligned, and stores their address in
/// `memory`. If the system allows it, other processes of this node can map the memory, so that
/// exchanges between such arrays copy the data only once. Otherwise, the memory is private. Returns
/// TRANSRANK_ERROR_RESOURCES if no memory is left.
int transrank_shared_alloc(int64_t bytes, void** memory);
/// Not collective. Frees the memory whose address transrank_shared_alloc has stored in `memory`,
/// and sets `memory` to NULL. Exchanges that are bound to the memory keep it alive. Any other
/// address, even one inside such memory, is refused.
int transrank_shared_free(void** memory);

// Layouts: who owns what.

/// A distribution says which part owns which of the indices [0, extent) of one dimension of a grid.
typedef struct transrank_distribution transrank_distribution;

/// Not collective. Divides [0, extent) into `parts` ranges whose lengths differ by at most one; the
/// longer ranges come first.
int transrank_distribution_even(int64_t extent, int parts, transrank_distribution** distribution);
/// Not collective. Part p owns [boundaries[p], boundaries[p + 1]). The list `boundaries` has
/// `parts` + 1 elements, which must not descend: the first is 0, and the last is the extent. Parts
/// may be empty.
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

/// The widths, in cells, of the halo (copies of neighbors' cells) in one dimension: `low` before
/// the block, `high` after it. The halo belongs to the local arrays, not to the grid.
typedef struct transrank_halo {
    int64_t low;
    int64_t high;
    /// If not 0, the cells beyond one end of the grid are the cells at its other end.
    int periodic;
} transrank_halo;

/// Options of a grid. Zeroes and null pointers stand for the default: parts numbered and arrays
/// stored in the order of C, no halo, and part p on rank p.
typedef struct transrank_grid_options {
    /// A transrank_order: which coordinate of the parts varies fastest when the parts are numbered.
    int part_order;
    /// The dimensions, sorted from the fastest to the slowest in local arrays; one value for each
    /// dimension. If NULL, the last dimension is the fastest.
    const int* memory_order;
    /// One halo for each dimension. If NULL, there is no halo.
    const transrank_halo* halo;
    /// The rank of each part. If NULL, part p is on rank p.
    const int* ranks;
} transrank_grid_options;

/// Not collective. Describes a grid of 1 to 6 `dimensions`; distributions[d] divides dimension d.
/// The part with the coordinates c owns the cells whose index in each dimension d belongs to part
/// c[d] of distributions[d]. A rank keeps its cells and their halo in one dense local array; each
/// cell is one unit (the element that routes count). `options` may be NULL.
int transrank_layout_grid(int dimensions, const transrank_distribution* const* distributions,
                          const transrank_grid_options* options, transrank_layout** layout);
/// Not collective. Describes a list of points: this rank keeps `count` cells in any order, where
/// cells[i] is the number of the cell in unit (element) i of its array. The cells of the whole grid
/// are numbered from 0 in the order `numbering`, a transrank_order. The list is copied.
int transrank_layout_points(int64_t count, const int64_t* cells, int numbering,
                            transrank_layout** layout);
/// Not collective. Stores which cells of a grid `rank` owns: [begin[d], end[d]) in each dimension
/// d. The values begin[d] and end[d] are 0 in a dimension in which the part of the rank is empty,
/// and in all dimensions if the rank has no part. Returns TRANSRANK_ERROR_ARGUMENT if the cells are
/// several ranges in a dimension, or if `layout` is a list of points.
int transrank_layout_box(const transrank_layout* layout, int rank, int64_t* begin, int64_t* end);
/// Not collective. Describes the local array of `rank` in a grid, halo included: the length in each
/// dimension (`extents`), the number of units from one cell to the next in each dimension
/// (`strides`), and the number of all `units` (a unit is one cell). The length is 0 in a dimension
/// in which the part is empty, and in all dimensions if the rank has no part. Each pointer may be
/// NULL. A list of points is refused.
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
/// Not collective. Stores the range of the global indices of this rank's rows, [`begin`, `end`),
/// and the number of rows of all ranks together, `extent`. Any of these pointers may be NULL.
int transrank_numbering_range(const transrank_numbering* numbering, int64_t* begin, int64_t* end,
                              int64_t* extent);
/// Not collective. transrank_numbering_index stores the global `index` of row `row` of `rank`;
/// transrank_numbering_place stores the `rank` and `row` of a global `index`. They know the rows of
/// all ranks if a table is kept, if all ranks own equally many rows, or if the first ranks own one
/// more row than the others. Otherwise, they know only the rows of this rank, and all other rows
/// are refused with TRANSRANK_ERROR_ARGUMENT.
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
    TRANSRANK_OWNED_AND_HALO = 1  ///< also the halo cells, each from the owner of the cell
};

/// Collective. Makes the route of a halo update (halo exchange, ghost cell exchange): from the
/// owned cells of `grid` to the halo cells of the same local array. The grid must have been made
/// with a halo, which may have the width 0. `corners` is a transrank_corners. If a part is thinner
/// than a halo of its neighbors, all ranks return TRANSRANK_ERROR_AGREED.
int transrank_route_halo(MPI_Comm comm, const transrank_layout* grid, int corners,
                         transrank_route** route);
/// Collective. Makes the route from the layout `source` to the layout `destination` of the same
/// grid; each layout may be a grid of blocks or a list of points. To transpose an array, give the
/// destination another memory order. `coverage` is a transrank_coverage. Between two lists of
/// points, equal numbers mean the same cell. Layouts of different grids are refused with
/// TRANSRANK_ERROR_AGREED. So are lists with a cell that is not in the grid, and source lists that
/// contain a cell twice. If the destination is a grid of blocks, a source list that lacks one of
/// its cells is refused, too.
int transrank_route_redistribution(MPI_Comm comm, const transrank_layout* source,
                                   const transrank_layout* destination, int coverage,
                                   transrank_route** route);
/// Collective. Makes the route by which this rank fetches `count` rows, its ghosts, from their
/// owners: the row with the global index ghosts[i] arrives at row `begin` + i of the destination,
/// which has `extent` rows. `ghosts` may contain an index several times, and indices of rows that
/// this rank owns.
int transrank_route_ghost_pull(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* ghosts, int64_t begin, int64_t extent,
                               transrank_route** route);
/// Collective. As transrank_route_ghost_pull, but the `count` ghosts may go to any rows of the
/// destination, which has `extent` rows: the row with the global index ghosts[i] arrives at row
/// places[i]. Several ghosts for the same row arrive in the order of their owners' ranks; those
/// from the same owner arrive in the order of the list.
int transrank_route_ghost_pull_at(MPI_Comm comm, const transrank_numbering* numbering,
                                  int64_t count, const int64_t* ghosts, const int64_t* places,
                                  int64_t extent, transrank_route** route);
/// Collective. As transrank_route_ghost_pull, but the owners choose the ghosts: this rank pushes
/// `count` rows, and its row rows[i] becomes a ghost on rank targets[i]. In the destination, the
/// ghosts of a rank begin at row `begin`. They are sorted by the rank that pushes them; ghosts from
/// the same rank are in the order of its list. transrank_route_ghosts returns their global indices.
int transrank_route_ghost_push(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* rows, const int* targets, int64_t begin,
                               transrank_route** route);
/// Collective. Makes a route that moves data as MPI_Alltoallv does: send_counts[r] units, beginning
/// at unit send_displacements[r] of the source, go to rank r; receive_counts[r] units arrive from
/// rank r, beginning at unit receive_displacements[r] of the destination. If the sender and the
/// receiver of a block give different counts, the call fails with TRANSRANK_ERROR_AGREED.
int transrank_route_alltoallv(MPI_Comm comm, const int64_t* send_counts,
                              const int64_t* send_displacements, const int64_t* receive_counts,
                              const int64_t* receive_displacements, transrank_route** route);
/// Not collective. Makes the reverse of `route`: it moves each unit from the place where `route`
/// puts it to the place from which `route` takes it.
int transrank_route_transposed(const transrank_route* route, transrank_route** back);
/// Collective. Each rank writes its part of the route to the file `place`; in this name, {rank} is
/// replaced by the number of the rank. If the name does not contain {rank}, `place` is a folder,
/// and rank N writes the file rank-N.route in it. Missing folders are created. `place` may differ
/// between ranks, for example for local disks.
int transrank_route_save(MPI_Comm comm, const transrank_route* route, const char* place);
/// Collective. Reads the route that transrank_route_save wrote to `place`; the number of ranks must
/// be the same. Files that are missing, truncated or altered, or do not fit together, are refused
/// with TRANSRANK_ERROR_AGREED.
int transrank_route_load(MPI_Comm comm, const char* place, transrank_route** route);
/// Not collective. Stores the numbers of units that this rank's `source` and `destination` arrays
/// must have. An array for a grid must have exactly this number of units; other arrays may have
/// more. Any of these pointers may be NULL.
int transrank_route_extents(const transrank_route* route, int64_t* source, int64_t* destination);
/// Not collective. Stores the lengths, halo included, of this rank's `source` and `destination`
/// arrays if they belong to a grid. The dimension that varies slowest in memory comes first. Each
/// list needs room for TRANSRANK_MAX_DIMENSIONS values. `source_dimensions` and
/// `destination_dimensions` become the numbers of values that were stored: 0 for an array that does
/// not belong to a grid. Any of these pointers may be NULL.
int transrank_route_shapes(const transrank_route* route, int* source_dimensions, int64_t* source,
                           int* destination_dimensions, int64_t* destination);
/// Not collective. Stores the number of ghosts of this rank (`count`), and the address of a list of
/// their global indices (`ghosts`), if the route was made by a ghost pull or push. For other
/// routes, `count` becomes 0. The list is valid until the route is freed.
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
    /// The dimensions, in the order in which the units are counted: the dimension whose index
    /// changes slowest comes first. The order of the dimensions in memory does not matter.
    const transrank_dimension* dimensions;
    int64_t element_bytes;
} transrank_view;

/// A source array and a destination array, which may be the same array: where the units of this
/// rank lie, and how long one unit is. Fields of one exchange may be parts of one allocation, and
/// may have the same source. But memory that the route writes for one field must not overlap memory
/// that it reads for any field, nor memory that it writes for another field.
///
/// The arrays belong to the caller, and must not be moved or freed while they are bound. After
/// TRANSRANK_ERROR_BROKEN, or if an exchange was freed while it was under way, MPI and peers may
/// still access the arrays: keep them until MPI_Finalize, unless they are from
/// transrank_shared_alloc.
///
/// If an array has a view, its address is the address of its first element, and its length in bytes
/// counts only the elements, not the gaps between them. Ranks may use different views. Binding
/// copies the transrank_view structures.
typedef struct transrank_field {
    const void* source;
    int64_t source_bytes;
    void* destination;
    int64_t destination_bytes;
    int64_t unit_bytes;
    int scalar;  ///< a transrank_scalar
    /// If NULL, the elements lie one after the other.
    const transrank_view* source_view;
    const transrank_view* destination_view;
} transrank_field;

/// Options of an exchange, the same on every rank. Zeroes and null pointers stand for the defaults.
typedef struct transrank_options {
    int operation;  ///< a transrank_operation
    /// The name of a transport, the way in which data move. If NULL, the environment variable
    /// TRANSRANK_TRANSPORT names the transport; if it is not set, the best transport for each peer
    /// is used.
    const char* transport;
    int64_t longest_message_bytes;  ///< longer messages are split; 0: only MPI's own limit
    /// If not 0, the fields to move are passed to each start, and may be any fields with the
    /// lengths, types and views of the bound fields. Peers do not access the arrays of these
    /// fields.
    int any_memory;
    /// The number of sets in the array of fields. The sets lie one after the other, and their
    /// fields have the lengths, types and views of those of the first set. Each start moves one
    /// set. At most 255; 0 means one set.
    int sets;
    /// If not 0, the program promises that no rank waits for another rank's wait to return before
    /// it starts the exchange. If no transport is named, two nodes may then send each other one
    /// message for all their ranks, if that reduces the number of messages. In this case, a wait
    /// returns only after all ranks with data in such a message, on both nodes, have started, and
    /// the ranks that send and receive it have called test or wait. If the program breaks the
    /// promise, the wait never returns.
    int together;
} transrank_options;

/// An exchange is a route, a ghost update or an alltoall that has been bound to its arrays.
///
/// From start until wait has returned (or test has stored 1), the sources must not change, and the
/// destinations are undefined. After that, the destinations hold the data that were sent, and the
/// sources may change. Test and wait advance all started exchanges of the process, so ranks may
/// wait for their exchanges in different orders. Between start and wait, a rank must not block in a
/// call that cannot return before the wait of a peer (a rank that it sends to or receives from) has
/// returned. Once an exchange is broken, each call with it returns the error that broke it. Only
/// one thread at a time may use an exchange; start, test and wait count as MPI calls.
typedef struct transrank_exchange transrank_exchange;

/// Collective. Binds the `fields` to the route. `count` is the number of fields in each set (there
/// is one set unless `options` asks for more). `options` may be NULL. All ranks must give the same
/// number of fields, with the same lengths of units.
///
/// TRANSRANK_ERROR_AGREED is returned if a field is shorter than the route's extent or, for a grid,
/// has another length than the local array; if the route writes a unit where it reads one, or where
/// it writes a unit of another field; if the routes of the ranks do not belong together; if the
/// operation does not exist for the scalars; or if the transport cannot serve a peer.
int transrank_exchange_bind(MPI_Comm comm, const transrank_route* route, int count,
                            const transrank_field* fields, const transrank_options* options,
                            transrank_exchange** exchange);
/// Not collective. Starts the exchange without waiting for peers; a wait returns only after every
/// peer has started. Returns TRANSRANK_ERROR_MISUSE if the exchange is already under way (calling
/// start twice breaks it), or if its communicator was freed; TRANSRANK_ERROR_BROKEN if an earlier
/// call has found that a peer has broken the exchange, freed it or ended (if start itself finds
/// this, the next test or wait returns the error); TRANSRANK_ERROR_ARGUMENT if the exchange was
/// bound with `any_memory`: use transrank_exchange_start_with.
int transrank_exchange_start(transrank_exchange* exchange);
/// Not collective. As transrank_exchange_start, but moves the given `fields` (their number is
/// `count`): one of the bound sets or, with `any_memory`, any fields with the lengths, types and
/// views of the bound fields. Peers need not know which fields these are. If the fields cannot be
/// moved, TRANSRANK_ERROR_ARGUMENT is returned, and nothing is started or broken. Returns
/// TRANSRANK_ERROR_MISUSE if the exchange is already under way (such a call breaks it), and
/// TRANSRANK_ERROR_BROKEN if an earlier call has found that a peer has broken it, freed it or
/// ended.
int transrank_exchange_start_with(transrank_exchange* exchange, int count,
                                  const transrank_field* fields);
/// Not collective. Makes progress. `done` becomes 1 if the exchange is over and has not been
/// started again, otherwise 0. Returns TRANSRANK_ERROR_MISUSE if the exchange was never started
/// (such a call breaks it); TRANSRANK_ERROR_BROKEN if a peer has broken the exchange, freed it or
/// ended; TRANSRANK_ERROR_ARGUMENT if `done` is NULL.
int transrank_exchange_test(transrank_exchange* exchange, int* done);
/// Not collective. Returns when the exchange is over; if it is over already, returns at once.
/// Returns TRANSRANK_ERROR_MISUSE if the exchange was never started (such a call breaks it);
/// TRANSRANK_ERROR_BROKEN if a peer has broken the exchange, freed it or ended.
int transrank_exchange_wait(transrank_exchange* exchange);
/// Not collective. As transrank_exchange_wait, but returns after about `seconds` even if the
/// exchange is not over. `done` becomes 1 if it is over, otherwise 0. Returns
/// TRANSRANK_ERROR_MISUSE if the exchange was never started (such a call breaks it);
/// TRANSRANK_ERROR_BROKEN if a peer has broken the exchange, freed it or ended;
/// TRANSRANK_ERROR_ARGUMENT if `seconds` is not a number or `done` is NULL.
int transrank_exchange_wait_for(transrank_exchange* exchange, double seconds, int* done);
/// Not collective. Starts the exchange, unless it is already under way, and waits until it is over.
/// For an alltoall by MPI's own algorithm, run is one blocking MPI call, so all ranks must make the
/// same call: either all call run, or all call start. Returns TRANSRANK_ERROR_BROKEN if a peer has
/// broken the exchange, freed it or ended; TRANSRANK_ERROR_MISUSE if this rank has broken it, or
/// its communicator was freed; TRANSRANK_ERROR_ARGUMENT if the exchange was bound with
/// `any_memory`: use transrank_exchange_run_with.
int transrank_exchange_run(transrank_exchange* exchange);
/// Not collective. Starts the exchange of the given `fields` (their number is `count`) as
/// transrank_exchange_start_with does, and waits until it is over. If the fields cannot be moved,
/// TRANSRANK_ERROR_ARGUMENT is returned, and nothing is started or broken. Returns
/// TRANSRANK_ERROR_MISUSE if the exchange is already under way (such a call breaks it);
/// TRANSRANK_ERROR_BROKEN if a peer has broken it, freed it or ended.
int transrank_exchange_run_with(transrank_exchange* exchange, int count,
                                const transrank_field* fields);
/// Not collective. Breaks the exchange; call it if this rank cannot go on with the exchange. Always
/// returns an error, TRANSRANK_ERROR_MISUSE, with the text `why`. Peers get TRANSRANK_ERROR_BROKEN,
/// with a text that names this rank.
int transrank_exchange_abandon(transrank_exchange* exchange, const char* why);
/// Not collective. Stores in `text` the address of a text table that lists the peers, bytes, runs
/// (contiguous pieces), the transport of each peer and why it was chosen. The text belongs to the
/// exchange, and is valid until the next explain.
int transrank_exchange_explain(transrank_exchange* exchange, const char** text);
/// Not collective. Frees the exchange and sets the handle to NULL. This is allowed at any time
/// after the last wait, in any order on different ranks, and even after MPI_Finalize. Peers that
/// start the exchange again get TRANSRANK_ERROR_BROKEN. Free an exchange before you free its
/// communicator.
int transrank_exchange_free(transrank_exchange** exchange);

// Ghost updates keep copies of rows of other ranks, the ghosts, in memory that the update
// allocates. Rows may have different lengths. For ghosts in an array of your own, use
// transrank_route_ghost_pull and an exchange.

/// The rows that this rank owns, and where they lie.
typedef struct transrank_rows {
    int64_t count;
    /// The number of elements of each row, if all rows of all ranks have the same length.
    int64_t length;
    /// For rows of different lengths: `count` + 1 values; row i consists of the elements
    /// [offsets[i], offsets[i + 1]). The list is copied. If NULL, all rows have the length
    /// `length`.
    const int64_t* offsets;
    int64_t element_bytes;
    int scalar;  ///< a transrank_scalar: the type of the elements
    void* data;
    int64_t data_bytes;
} transrank_rows;

/// A ghost update: rows of this rank, and copies of rows of other ranks (ghosts) in memory that the
/// update allocates.
typedef struct transrank_ghost_update transrank_ghost_update;

/// Collective. Makes an update in which this rank chooses its `count` ghosts: ghost i is a copy of
/// the row with the global index ghosts[i]. The global indices count the `rows` of all ranks from
/// 0, in rank order. `ghosts` may contain an index several times, and indices of rows that this
/// rank owns.
int transrank_ghost_update_pull(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* ghosts, transrank_ghost_update** update);
/// Collective. Makes an update in which the owners choose the ghosts: this rank pushes `count` of
/// its `rows`, and row pushed[i] becomes a ghost on rank targets[i]. The ghosts of a rank are
/// sorted by the rank that pushes them; ghosts from the same rank are in the order of its list.
int transrank_ghost_update_push(MPI_Comm comm, const transrank_rows* rows, int64_t count,
                                const int64_t* pushed, const int* targets,
                                transrank_ghost_update** update);
/// Collective. Makes an update along an existing `route` from owned `rows` to ghosts, for example a
/// route that transrank_route_load has read.
int transrank_ghost_update_along(MPI_Comm comm, const transrank_rows* rows,
                                 const transrank_route* route, transrank_ghost_update** update);
/// Collective. Makes an update with the same ghosts as the update `other`. Each rank must own as
/// many `rows` as in `other`, but their elements and lengths may differ.
int transrank_ghost_update_like(MPI_Comm comm, const transrank_rows* rows,
                                const transrank_ghost_update* other,
                                transrank_ghost_update** update);
/// Not collective. Stores the number of ghosts of this rank (`count`), and where to find the global
/// index of each ghost (`indices`; -1 if no row arrives there), the `count` + 1 `offsets` of their
/// elements, and the elements themselves (`data`), which lie in memory like that of
/// transrank_shared_alloc. Ghost i consists of the elements [offsets[i], offsets[i + 1]). The lists
/// belong to the update; `data` remains valid until the update and every exchange bound to it have
/// been freed. Any of these pointers may be NULL.
int transrank_ghost_update_ghosts(const transrank_ghost_update* update, int64_t* count,
                                  const int64_t** indices, const int64_t** offsets, void** data);

/// In which direction an exchange of a ghost update moves data.
enum transrank_direction {
    TRANSRANK_PULL = 0,  ///< from the owners to the ghosts
    /// From the ghosts back to the owners: the operation combines each owned row with its ghosts,
    /// one after another, in the order of the ranks that hold the ghosts.
    TRANSRANK_PUSH = 1
};
/// Collective. Binds the rows and ghosts of the update to an exchange. `comm` must be the
/// communicator of the update; `direction` is a transrank_direction. `options` may be NULL; it must
/// ask for neither `any_memory` nor several `sets`.
int transrank_ghost_update_bind(MPI_Comm comm, const transrank_ghost_update* update, int direction,
                                const transrank_options* options, transrank_exchange** exchange);
/// Not collective. Frees the handle and sets it to NULL. Objects that were made with it stay
/// usable.
int transrank_ghost_update_free(transrank_ghost_update** update);

// Alltoall.

/// Options of an alltoall, the same on every rank. Zeroes and null pointers stand for the defaults.
typedef struct transrank_alltoall_options {
    /// The name of an algorithm. If NULL, the library chooses one.
    const char* algorithm;
    /// The path of a file that names algorithms for different lengths of blocks, as `transrank
    /// tune` writes it; rank 0 reads it. If NULL, rank 0 reads the file that the environment
    /// variable TRANSRANK_ALLTOALL_CHOICES names, if it is set.
    const char* choices;
    int radix;           ///< for the algorithm bruck; 0 means 2
    int window;          ///< for linear-bounded; 0 means 8
    int leaders;         ///< for node-leaders; 0 means 2
    int ranks_per_node;  ///< consecutive ranks that share a node; 0: found automatically
    /// The lengths of a torus that the ranks fill, the first dimension varying fastest. If NULL,
    /// they are determined from the number of ranks.
    const int* torus;
    int torus_dimensions;
    /// If not 0, one field is passed to each start. Its arrays hold all blocks; they must be the
    /// same array if, and only if, the alltoall was bound in place. Peers do not access them, but
    /// MPI may.
    int any_memory;
} transrank_alltoall_options;

/// Collective. Binds an alltoall: this rank sends a block of `block_bytes` bytes from `send` to
/// every rank, and receives a block from every rank into `receive`. The blocks lie in rank order.
/// The alltoall is in place if `send` and `receive` are the same. The arrays belong to the caller,
/// and must not be moved or freed while they are bound.
int transrank_alltoall_bind(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                            const transrank_alltoall_options* options,
                            transrank_exchange** exchange);
/// Collective. Binds an alltoall of blocks of any lengths, as MPI_Alltoallv: send_bytes[r] bytes
/// from `send` + send_offsets[r] go to rank r; receive_bytes[r] bytes from rank r arrive at
/// `receive` + receive_offsets[r]. It cannot be in place. If a block is not as long as its receiver
/// expects, the call fails with TRANSRANK_ERROR_AGREED.
int transrank_alltoallv_bind(MPI_Comm comm, const void* send, const int64_t* send_bytes,
                             const int64_t* send_offsets, void* receive,
                             const int64_t* receive_bytes, const int64_t* receive_offsets,
                             const transrank_alltoall_options* options,
                             transrank_exchange** exchange);
/// Collective. Binds, runs and frees one alltoall: this rank sends a block of `block_bytes` bytes
/// from `send` to every rank, and receives a block from every rank into `receive`. The blocks lie
/// in rank order.
int transrank_alltoall(MPI_Comm comm, const void* send, void* receive, int64_t block_bytes,
                       const transrank_alltoall_options* options);

// For the module of Fortran. Each function that takes a communicator, or whose errors name indices,
// also has a twin whose name ends in _f: its communicator is an MPI_Fint, and the texts of its
// errors count from 1. The twins are not declared here, apart from the functions below.

/// Not collective. Stores in `ranks` what MPI_Comm_size returns, for a module that does not use
/// MPI.
int transrank_comm_size_f(MPI_Fint comm, int* ranks);

/// Memory that has a handle besides its address. After the memory has been freed, its address may
/// belong to other memory, but its handle is refused.
typedef struct transrank_memory transrank_memory;
int transrank_shared_alloc_f(int64_t bytes, void** memory, transrank_memory** handle);
int transrank_shared_free_f(transrank_memory** handle);

#ifdef __cplusplus
}
#endif

#endif
