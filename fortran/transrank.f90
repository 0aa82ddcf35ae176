! SPDX-License-Identifier: BSD-3-Clause
! Made by fypp: edit transrank.fypp, then `make fortran`.
!> The library for Fortran 2018. It calls the library for C; the comments in its header,
!> transrank.h, describe each call in more detail.
!>
!> Communicators are passed as integers: `comm` with the module mpi, `comm%MPI_VAL` with mpi_f08. So
!> this module needs neither of these modules, and you compile it with the compiler of your program.
!>
!> Cells, rows and global indices count from 1; ranks and the parts of a distribution count from 0,
!> as in MPI. The first dimension varies fastest in memory.
!>
!> Each procedure has the optional arguments `stat` and `errmsg`: `stat` becomes one of the statuses
!> below, `errmsg` the text of an error. Without `stat`, an error ends the program by ERROR STOP
!> with that text. Procedures with a communicator are collective: if one rank finds an error, all
!> ranks get the same error.
!>
!> Objects are freed when they go out of scope. `free` frees them earlier, and so does a call that
!> makes the same object again. Do not copy objects by assignment: once one copy is freed, the other
!> is refused, and an address in it is no longer valid.
!>
!> Error texts, too, count indices, rows, ghosts, cells, dimensions and fields from 1. If you pass
!> an empty constructor, [integer ::], for an optional list, gfortran treats the list as left out.
!> The `offsets` of rows may be neither empty nor unallocated.
module transrank
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
        c_int64_t, c_intptr_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none (type, external)
    private

    ! Statuses.
    integer, parameter, public :: transrank_ok = 0
    integer, parameter, public :: transrank_error_argument = 1
    integer, parameter, public :: transrank_error_agreed = 2
    integer, parameter, public :: transrank_error_misuse = 3
    integer, parameter, public :: transrank_error_broken = 4
    integer, parameter, public :: transrank_error_mpi = 5
    integer, parameter, public :: transrank_error_resources = 6
    integer, parameter, public :: transrank_error_internal = 7

    ! How arriving data are combined with the destination. If one of two values is NaN, their
    ! minimum and maximum are NaN. If both are NaN, or both are zeros, the value in the destination
    ! stays.
    integer, parameter, public :: transrank_assign = 0
    integer, parameter, public :: transrank_add = 1
    integer, parameter, public :: transrank_min = 2
    integer, parameter, public :: transrank_max = 3

    ! In which direction a ghost update moves data: from the owners to the ghosts, or back.
    integer, parameter, public :: transrank_pull = 0
    integer, parameter, public :: transrank_push = 1

    ! Of the scalars of transrank.h, without the opaque one.
    integer(c_int64_t), parameter :: scalar_bytes(10) = [1, 2, 4, 8, 1, 2, 4, 8, 4, 8]
    integer, parameter :: first_fastest = 1
    integer, parameter :: most_dimensions = 6

    public :: transrank_alltoall, transrank_version

    abstract interface
        function free_handle(handle) bind(c) result(status)
            import
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
        function on_exchange(handle) bind(c) result(status)
            import
            type(c_ptr), value :: handle
            integer(c_int) :: status
        end function
    end interface

    ! Of transrank.h: transrank_dimension, _view, _field, _rows, _options, _alltoall_options and
    ! _grid_options.
    type, bind(c) :: array_dimension
        integer(c_int64_t) :: count = 0
        integer(c_int64_t) :: stride_bytes = 0
    end type

    type, bind(c) :: view
        integer(c_int) :: count = 0
        type(c_ptr) :: dimensions = c_null_ptr
        integer(c_int64_t) :: element_bytes = 0
    end type

    type, bind(c) :: field
        type(c_ptr) :: source = c_null_ptr
        integer(c_int64_t) :: source_bytes = 0
        type(c_ptr) :: destination = c_null_ptr
        integer(c_int64_t) :: destination_bytes = 0
        integer(c_int64_t) :: unit_bytes = 0
        integer(c_int) :: scalar = 0
        type(c_ptr) :: source_view = c_null_ptr
        type(c_ptr) :: destination_view = c_null_ptr
    end type

    type, bind(c) :: owned_rows
        integer(c_int64_t) :: count = 0
        integer(c_int64_t) :: length = 0
        type(c_ptr) :: offsets = c_null_ptr
        integer(c_int64_t) :: element_bytes = 0
        integer(c_int) :: scalar = 0
        type(c_ptr) :: place = c_null_ptr
        integer(c_int64_t) :: place_bytes = 0
    end type

    type, bind(c) :: exchange_options
        integer(c_int) :: operation = 0
        type(c_ptr) :: transport = c_null_ptr
        integer(c_int64_t) :: longest_message_bytes = 0
        integer(c_int) :: any_memory = 0
        integer(c_int) :: sets = 0
        integer(c_int) :: together = 0
    end type

    type, bind(c) :: alltoall_choices
        type(c_ptr) :: algorithm = c_null_ptr
        type(c_ptr) :: choices = c_null_ptr
        integer(c_int) :: radix = 0
        integer(c_int) :: window = 0
        integer(c_int) :: leaders = 0
        integer(c_int) :: ranks_per_node = 0
        type(c_ptr) :: torus = c_null_ptr
        integer(c_int) :: torus_dimensions = 0
        integer(c_int) :: any_memory = 0
    end type

    type, bind(c) :: grid_options
        integer(c_int) :: part_order = 0
        type(c_ptr) :: memory_order = c_null_ptr
        type(c_ptr) :: halo = c_null_ptr
        type(c_ptr) :: ranks = c_null_ptr
    end type

    !> What all objects of the library have in common.
    type :: transrank_object
        private
        type(c_ptr) :: handle = c_null_ptr
        procedure(free_handle), pointer, nopass :: release => null()
    contains
        !> Not collective. Frees the object now, instead of when it goes out of scope. Objects that
        !> were made with it stay usable.
        procedure :: free => object_free
        final :: object_end
    end type

    !> The widths, in cells, of the halo (copies of neighbors' cells) in one dimension: `low` before
    !> the block, `high` after it. The halo belongs to the local arrays, not to the grid.
    type, bind(c), public :: transrank_halo
        integer(c_int64_t) :: low = 0
        integer(c_int64_t) :: high = 0
        !> If not 0, the cells beyond one end of the grid are the cells at its other end.
        integer(c_int) :: periodic = 0
    end type

    !> A distribution says which part owns which of the indices 1 to `extent` of one dimension of a
    !> grid.
    type, extends(transrank_object), public :: transrank_distribution
        private
        integer :: parts = 0
    contains
        !> Not collective. Divides 1 to `extent` into `parts` ranges whose lengths differ by at most
        !> one; the longer ranges come first. `extent` is a default integer or of kind int64.
        generic :: even => distribution_even, distribution_even_int64
        !> Not collective. Part p owns lengths(p + 1) indices, which follow the indices of the part
        !> before it. `lengths` are default integers or of kind int64.
        generic :: irregular => distribution_irregular, distribution_irregular_int64
        !> Not collective. Divides 1 to `extent` into blocks of `block` indices, and deals the
        !> blocks out to `parts` parts in turn, beginning with part `first_part` (by default 0), as
        !> ScaLAPACK does. If `block` is 1, the distribution is cyclic.
        generic :: block_cyclic => distribution_block_cyclic, distribution_block_cyclic_int64
        procedure, private :: distribution_even, distribution_even_int64
        procedure, private :: distribution_irregular, distribution_irregular_int64
        procedure, private :: distribution_block_cyclic, distribution_block_cyclic_int64
        !> Not collective. Returns in `count` how many indices `part` owns.
        procedure :: owned => distribution_owned
        !> Not collective. Returns the `part` that owns `index`, and the `position` of the index
        !> among all indices of this part, counted from 1.
        procedure :: owner => distribution_owner
    end type

    !> A layout says which cells of a grid each rank keeps: a block of the grid, or a list of cells.
    type, extends(transrank_object), public :: transrank_layout
        private
        integer :: dimensions = 0
    contains
        !> Not collective. Describes a grid: `distributions` and, if it is present, `halo` have one
        !> element for each dimension. In a grid of two dimensions with m and n parts, part p has
        !> the coordinates mod(p, m) and p / m; it is on rank p or, if `ranks` is present, on
        !> ranks(p + 1). `order` lists the dimensions from the fastest to the slowest in local
        !> arrays; by default, the first is the fastest.
        procedure :: grid => layout_grid
        !> Not collective. Describes a list of points: this rank keeps `cells`, in any order, where
        !> cells(i) is the number of the cell in element i of its array. The cells of the whole grid
        !> are numbered from 1 in array element order.
        procedure :: points => layout_points
        !> Not collective. Returns which cells of a grid `rank` owns: first(d) to last(d) in each
        !> dimension d, or none if last(d) < first(d). If the cells are several ranges in a
        !> dimension, the status is transrank_error_argument.
        procedure :: box => layout_box
        !> Not collective. Returns the shape of the local array of `rank` (`lengths`), halo
        !> included; the number of cells from one cell to the next in each dimension (`strides`);
        !> and the number of all `cells`.
        procedure :: local_shape => layout_local_shape
    end type

    !> The global indices of the rows of all ranks, from 1: first the rows of rank 0, then those of
    !> rank 1, and so on.
    type, extends(transrank_object), public :: transrank_numbering
    contains
        !> Collective. Numbers the rows of all ranks; `owned` is the number of rows of this rank. If
        !> `table` is true, each rank keeps a table of 8 bytes per rank, so that it finds the owner
        !> of any row without communication. `table` must be the same on all ranks.
        generic :: create => numbering_create, numbering_create_int64
        procedure, private :: numbering_create, numbering_create_int64
        !> Not collective. Returns the range of the global indices of this rank's rows, `first` to
        !> `last`, and the number of rows of all ranks together, `all`.
        procedure :: range => numbering_range
        !> Not collective. Returns the global `index` of row `row` of `rank`. It knows the rows of
        !> all ranks if a table is kept, if all ranks own equally many rows, or if the first ranks
        !> own one more row than the others. Otherwise, it knows only the rows of this rank, and all
        !> other rows are refused with transrank_error_argument.
        procedure :: index => numbering_index
        !> Not collective. Returns the `rank` that owns the row with the global index `index`, and
        !> the number of this row on that rank, `row`. It knows the same rows as the procedure
        !> `index`.
        procedure :: place => numbering_place
    end type

    !> A route says which units move from which rank to which. A unit is one cell or row. It
    !> consists of one element of an array, or of as many elements as the argument `values` of the
    !> procedure `add` of transrank_fields says.
    type, extends(transrank_object), public :: transrank_route
    contains
        !> Collective. Makes the route of a halo update (halo exchange, ghost cell exchange): from
        !> the owned cells of `grid` to the halo cells of the same local array. If `corners` is
        !> false, halo cells that lie beyond two or more faces of the block are left out.
        procedure :: halo => route_halo
        !> Collective. Makes the route from the layout `source` to the layout `destination` of the
        !> same grid. If `fill_halo` is true, the halo cells of the destination are filled, too.
        procedure :: redistribution => route_redistribution
        !> Collective. Makes the route by which this rank fetches rows, its ghosts, from their
        !> owners: the row with the global index ghosts(i) arrives at row `first` + i - 1 of a
        !> destination of `rows` rows. By default, the destination contains only the ghosts. If the
        !> list `places` is given, which is as long as `ghosts`, ghost i arrives at row places(i)
        !> instead.
        procedure :: ghost_pull => route_ghost_pull
        !> Collective. As `ghost_pull`, but the owners choose the ghosts: row pushed(i) of this rank
        !> becomes a ghost on rank targets(i). In the destination, the ghosts of a rank begin at row
        !> `first`. They are sorted by the rank that pushes them; ghosts from the same rank are in
        !> the order of its list. The procedure `ghosts` returns their global indices.
        procedure :: ghost_push => route_ghost_push
        !> Collective. Makes a route that moves data as MPI_Alltoallv does: send_counts(r + 1) cells
        !> or rows go to rank r, and receive_counts(r + 1) arrive from rank r. The block for rank r
        !> begins at send_first(r + 1) of the source, the block from rank r at receive_first(r + 1)
        !> of the destination. By default, the blocks lie one after another, in rank order.
        procedure :: alltoallv => route_alltoallv
        !> Not collective. Makes the reverse of `route`: it moves each unit from the place where
        !> `route` puts it to the place from which `route` takes it.
        procedure :: transposed => route_transposed
        !> Collective. Each rank writes its part of the route to a file. If `place` contains {rank},
        !> it is the name of the file, with {rank} replaced by the number of the rank. Otherwise,
        !> `place` is a folder, and the file is in it.
        procedure :: save => route_save
        !> Collective. Each rank reads the file that it wrote to `place` by `save`; the number of
        !> ranks must be the same. If a file is missing, altered or part of another route, the
        !> status is transrank_error_agreed.
        procedure :: load => route_load
        !> Not collective. Returns how many cells or rows this rank's `source` and `destination`
        !> arrays must have at least.
        procedure :: extents => route_extents
        !> Not collective. Returns in `indices` the global index of each ghost of this rank, if the
        !> route was made by a ghost pull or push. For other routes, `indices` is empty.
        procedure :: ghosts => route_ghosts
    end type

    integer, parameter :: most_rank = 15

    !> The source or the destination of a field. The view does not point to the dimensions yet.
    type :: array
        type(c_ptr) :: address = c_null_ptr
        integer(c_int64_t) :: elements = 0
        type(view) :: view
        type(array_dimension) :: dimensions(most_rank)  ! the slowest first
        logical :: contiguous = .true.
        logical :: is_component = .false.
    end type

    !> The arrays that an exchange moves. One field is a source array and a destination array.
    type, public :: transrank_fields
        private
        type(field), allocatable :: list(:)
        type(array), allocatable :: arrays(:)  ! two of each field
        !> Why an array was refused: if it is set, all ranks refuse the fields.
        character(len=:), allocatable :: refused
    contains
        !> Not collective. Adds a field: the arrays `source` and `destination`, which may be the
        !> same array. Both have the same type: integer(int8), integer(int16), integer(int32),
        !> integer(int64), real(real32) or real(real64). Pass a logical or complex array as integers
        !> or reals, through a pointer that c_f_pointer makes of its address (complex: with
        !> `values=2`). Arrays may have any rank, and need the attribute TARGET or POINTER. They
        !> must be allocated, and must not be deallocated or reallocated while they are bound.
        !>
        !> Sections, such as u(n:1:-1, ::2), are moved without making a contiguous copy first; but
        !> an alltoall and a ghost update need contiguous arrays. `values` (by default 1) is the
        !> number of elements of each cell or row; these elements are next to each other in array
        !> element order. For a route of a grid, an array has the shape that `local_shape` returns,
        !> preceded by the dimensions of the values; or it has one dimension and the same number of
        !> elements. An array is refused with transrank_error_argument if its number of elements is
        !> not a multiple of `values`, or if it is a component of an array of a derived type
        !> (particles%x). A wrong shape is refused later, by `bind`.
        generic :: add => fields_add_int8, fields_add_int16, fields_add_int32, fields_add_int64,&
            & fields_add_real32, fields_add_real64
        procedure, private :: fields_add_int8, fields_add_int16, fields_add_int32,&
            & fields_add_int64, fields_add_real32, fields_add_real64
        procedure, private :: add_arrays => fields_add_arrays
    end type

    !> A ghost update: rows of this rank, and copies of rows of other ranks (ghosts) in memory that
    !> the update allocates. Rows may have different lengths.
    !>
    !> In its procedures, `rows` contains one field, whose source and destination are the same
    !> array. Each row of this array has as many elements as the argument `values` of `add` says. If
    !> the argument `offsets` is given, `values` must be 1, and row i consists of the elements
    !> offsets(i) to offsets(i + 1) - 1. The rows of all ranks are numbered from 1, in rank order.
    type, extends(transrank_object), public :: transrank_ghost_update
    contains
        !> Collective. Makes an update in which this rank chooses its ghosts: ghost i is a copy of
        !> the row with the global index ghosts(i).
        generic :: pull => ghost_update_pull, ghost_update_pull_uneven
        !> Collective. Makes an update in which the owners choose the ghosts: row pushed(i) of this
        !> rank becomes a ghost on rank targets(i). The ghosts of a rank are sorted by the rank that
        !> pushes them; ghosts from the same rank are in the order of its list.
        generic :: push => ghost_update_push, ghost_update_push_uneven
        !> Collective. Makes an update along an existing `route` from owned rows to ghosts, for
        !> example a route that was loaded.
        generic :: along => ghost_update_along, ghost_update_along_uneven
        !> Collective. Makes an update with the same ghosts as the update `other`. Each rank must
        !> own as many `rows` as in `other`, but their elements and lengths may differ.
        generic :: like => ghost_update_like, ghost_update_like_uneven
        !> Not collective. Returns the global index of each ghost (`indices`; 0 if no row arrives
        !> there), the positions at which the elements of each ghost begin (`offsets`, with one more
        !> element than there are ghosts), and the `address` of the elements, for c_f_pointer. The
        !> address remains valid until the update and every exchange bound to it have been freed.
        procedure :: ghosts => ghost_update_ghosts
        procedure, private :: ghost_update_pull, ghost_update_pull_uneven
        procedure, private :: ghost_update_push, ghost_update_push_uneven
        procedure, private :: ghost_update_along, ghost_update_along_uneven
        procedure, private :: ghost_update_like, ghost_update_like_uneven
    end type

    !> Options of an alltoall, the same on every rank. The library chooses the value of each option
    !> that is left out or 0.
    type, public :: transrank_alltoall_options
        character(len=:), allocatable :: algorithm
        !> The path of a file that names algorithms for different lengths of blocks, as `transrank
        !> tune` writes it; rank 0 reads it.
        character(len=:), allocatable :: choices
        integer :: radix = 0
        integer :: window = 0
        integer :: leaders = 0
        integer :: ranks_per_node = 0
        !> The lengths of a torus that the ranks fill, the first dimension varying fastest.
        integer, allocatable :: torus(:)
        !> Whether the arrays to move are passed to each start; they must have the shapes and kinds
        !> of the bound arrays.
        logical :: any_memory = .false.
    end type

    !> transrank_alltoall_options as C reads them: valid as long as this is.
    type :: kept_choices
        character(kind=c_char, len=:), allocatable :: algorithm, choices
        integer(c_int), allocatable :: torus(:)
    end type

    !> An exchange is a route, a ghost update or an alltoall that has been bound to its arrays. It
    !> can be started again and again. From start until wait has returned, the sources must not
    !> change, and the destinations are undefined.
    !>
    !> In the procedures that bind, `transport` is the name of a transport, the way in which data
    !> move. Messages longer than `longest_message_bytes` are split. If `together` is true, the
    !> program promises that no rank waits for another rank's wait to return before it starts the
    !> exchange. If no transport is named, two nodes may then send each other one message for all
    !> their ranks, if that reduces the number of messages. In this case, a wait returns only after
    !> all ranks with data in such a message, on both nodes, have started. If the program breaks the
    !> promise, the wait never returns.
    !>
    !> Once an exchange is broken, each call with it returns the status that broke it.
    type, extends(transrank_object), public :: transrank_exchange
        type(array), allocatable, private :: arrays(:)
    contains
        !> Collective. Binds `fields` to `route`; the data of all fields that go to the same rank
        !> travel in one message. `operation` is transrank_assign (the default), transrank_add,
        !> transrank_min or transrank_max. Each start moves `fields` or one element of `others`; the
        !> array `others` must have the same size on all ranks. If `any_memory` is true, the fields
        !> to move are passed to each start, and may be any fields with the shapes, strides and
        !> kinds of the bound fields.
        procedure :: bind => exchange_bind
        !> Collective. Binds the rows and ghosts of `update` to an exchange. `direction` is
        !> transrank_pull (from owners to ghosts) or transrank_push (from ghosts back to owners). In
        !> a push, `operation` combines each owned row with its ghosts, in the order of the ranks
        !> that hold the ghosts.
        procedure :: bind_ghost_update => exchange_bind_ghost_update
        !> Collective. Binds an alltoall: each rank sends one block to each rank. `fields` contains
        !> one field; a block is as many elements of it as the argument `values` of `add` says (see
        !> transrank_fields).
        procedure :: bind_alltoall => exchange_bind_alltoall
        !> Collective. Binds an alltoall of blocks of any lengths: send_counts, send_first,
        !> receive_counts and receive_first mean the same as in the procedure `alltoallv` of
        !> transrank_route.
        procedure :: bind_alltoallv => exchange_bind_alltoallv
        !> Not collective. Starts the exchange without waiting for peers (the ranks that this rank
        !> sends to or receives from); a wait returns only after every peer has started. `stat`
        !> becomes transrank_error_misuse if the exchange is already under way (calling start twice
        !> breaks it), or if its communicator was freed; transrank_error_broken if an earlier call
        !> has found that a peer has broken the exchange, freed it or ended (if start itself finds
        !> this, the next test or wait returns the error); transrank_error_argument if the exchange
        !> was bound with `any_memory`: use `start_with`.
        procedure :: start => exchange_start
        !> Not collective. As `start`, but moves the given `fields`: the bound fields, one element
        !> of `others` or, with `any_memory`, any fields with the shapes, strides and kinds of the
        !> bound fields. Other ranks need not know which fields these are. If the fields are refused
        !> with transrank_error_argument, nothing is started or broken. `stat` becomes
        !> transrank_error_misuse if the exchange is already under way (such a call breaks it), and
        !> transrank_error_broken if an earlier call has found that a peer has broken it, freed it
        !> or ended.
        procedure :: start_with => exchange_start_with
        !> Not collective. Makes progress. `done` becomes true if the exchange is over and has not
        !> been started again, otherwise false. `stat` becomes transrank_error_misuse if the
        !> exchange was never started (such a call breaks it), and transrank_error_broken if a peer
        !> has broken the exchange, freed it or ended.
        procedure :: test => exchange_test
        !> Not collective. Returns when the exchange is over; if it is over already, returns at
        !> once. `stat` becomes transrank_error_misuse if the exchange was never started (such a
        !> call breaks it), and transrank_error_broken if a peer has broken the exchange, freed it
        !> or ended.
        procedure :: wait => exchange_wait
        !> Not collective. As `wait`, but returns after about `seconds` even if the exchange is not
        !> over. `done` becomes true if it is over, otherwise false. `stat` becomes
        !> transrank_error_misuse if the exchange was never started (such a call breaks it);
        !> transrank_error_broken if a peer has broken the exchange, freed it or ended;
        !> transrank_error_argument if `seconds` is not a number.
        procedure :: wait_for => exchange_wait_for
        !> Not collective. Starts the exchange, unless it is already under way, and waits until it
        !> is over. For an alltoall by MPI's own algorithm, all ranks must make the same call:
        !> either all call `run`, or all call `start`. `stat` becomes transrank_error_broken if a
        !> peer has broken the exchange, freed it or ended; transrank_error_misuse if this rank has
        !> broken it, or its communicator was freed; transrank_error_argument if the exchange was
        !> bound with `any_memory`: use `run_with`.
        procedure :: run => exchange_run
        !> Not collective. Starts the exchange of the given `fields`, as `start_with` does, and
        !> waits until it is over. If the fields are refused with transrank_error_argument, nothing
        !> is started or broken. `stat` becomes transrank_error_misuse if the exchange is already
        !> under way (such a call breaks it), and transrank_error_broken if a peer has broken it,
        !> freed it or ended.
        procedure :: run_with => exchange_run_with
        !> Not collective. Breaks the exchange; call it if this rank cannot go on with the exchange.
        !> The call always fails, with transrank_error_misuse and the text `why`. Peers get
        !> transrank_error_broken.
        procedure :: abandon => exchange_abandon
        !> Not collective. Returns a text table of peers, bytes and transports, or an empty text if
        !> the exchange cannot be explained.
        procedure :: explain => exchange_explain
    end type

    !> Memory that other processes of this node can map, if the system allows it, so that data
    !> between such arrays are copied once instead of twice. c_f_pointer(memory%address, a, [m, n])
    !> makes a pointer `a`, of any rank and kind, to the memory.
    type, extends(transrank_object), public :: transrank_memory
        type(c_ptr) :: address = c_null_ptr
    contains
        !> Not collective. Allocates `bytes` bytes, zeroed. If the system has no memory left, the
        !> status is transrank_error_resources.
        generic :: allocate => memory_allocate, memory_allocate_int64
        procedure, private :: memory_allocate, memory_allocate_int64
        !> Not collective. Frees the memory. Exchanges that are bound to it keep it alive until they
        !> are freed.
        procedure :: free => memory_free
    end type

    interface
        function c_error_text() bind(c, name='transrank_error_text') result(text)
            import
            type(c_ptr) :: text
        end function
        function c_version() bind(c, name='transrank_version') result(text)
            import
            type(c_ptr) :: text
        end function
        function c_strlen(text) bind(c, name='strlen') result(length)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
        function c_refuse(why) &
                bind(c, name='transrank_refuse') result(status)
            import
            character(kind=c_char), intent(in) :: why(*)
            integer(c_int) :: status
        end function
        function c_distribution_even(extent, parts, distribution) &
                bind(c, name='transrank_distribution_even') result(status)
            import
            integer(c_int64_t), value :: extent
            integer(c_int), value :: parts
            type(c_ptr), intent(inout) :: distribution
            integer(c_int) :: status
        end function
        function c_distribution_irregular(parts, boundaries, distribution) &
                bind(c, name='transrank_distribution_irregular') result(status)
            import
            integer(c_int), value :: parts
            integer(c_int64_t), intent(in) :: boundaries(*)
            type(c_ptr), intent(inout) :: distribution
            integer(c_int) :: status
        end function
        function c_distribution_block_cyclic(extent, parts, block, first_part, distribution) &
                bind(c, name='transrank_distribution_block_cyclic') result(status)
            import
            integer(c_int64_t), value :: extent
            integer(c_int), value :: parts
            integer(c_int64_t), value :: block
            integer(c_int), value :: first_part
            type(c_ptr), intent(inout) :: distribution
            integer(c_int) :: status
        end function
        function c_distribution_owned(distribution, part, count) &
                bind(c, name='transrank_distribution_owned') result(status)
            import
            type(c_ptr), value :: distribution
            integer(c_int), value :: part
            integer(c_int64_t), intent(out) :: count
            integer(c_int) :: status
        end function
        function c_distribution_owner(distribution, index, part, position) &
                bind(c, name='transrank_distribution_owner_f') result(status)
            import
            type(c_ptr), value :: distribution
            integer(c_int64_t), value :: index
            integer(c_int), intent(out) :: part
            integer(c_int64_t), intent(out) :: position
            integer(c_int) :: status
        end function
        function c_layout_grid(dimensions, distributions, options, layout) &
                bind(c, name='transrank_layout_grid_f') result(status)
            import
            integer(c_int), value :: dimensions
            type(c_ptr), intent(in) :: distributions(*)
            type(grid_options), intent(in) :: options
            type(c_ptr), intent(inout) :: layout
            integer(c_int) :: status
        end function
        function c_layout_points(count, cells, numbering, layout) &
                bind(c, name='transrank_layout_points') result(status)
            import
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: cells(*)
            integer(c_int), value :: numbering
            type(c_ptr), intent(inout) :: layout
            integer(c_int) :: status
        end function
        function c_layout_box(layout, rank, begin, end) &
                bind(c, name='transrank_layout_box_f') result(status)
            import
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), intent(out) :: begin(*)
            integer(c_int64_t), intent(out) :: end(*)
            integer(c_int) :: status
        end function
        function c_layout_local(layout, rank, extents, strides, units) &
                bind(c, name='transrank_layout_local') result(status)
            import
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), intent(out) :: extents(*)
            integer(c_int64_t), intent(out) :: strides(*)
            integer(c_int64_t), intent(out) :: units
            integer(c_int) :: status
        end function
        function c_numbering_create(comm, owned, table, numbering) &
                bind(c, name='transrank_numbering_create_f') result(status)
            import
            integer(c_int), value :: comm
            integer(c_int64_t), value :: owned
            integer(c_int), value :: table
            type(c_ptr), intent(inout) :: numbering
            integer(c_int) :: status
        end function
        function c_numbering_range(numbering, begin, end, extent) &
                bind(c, name='transrank_numbering_range') result(status)
            import
            type(c_ptr), value :: numbering
            integer(c_int64_t), intent(out) :: begin
            integer(c_int64_t), intent(out) :: end
            integer(c_int64_t), intent(out) :: extent
            integer(c_int) :: status
        end function
        function c_numbering_index(numbering, rank, row, index) &
                bind(c, name='transrank_numbering_index_f') result(status)
            import
            type(c_ptr), value :: numbering
            integer(c_int), value :: rank
            integer(c_int64_t), value :: row
            integer(c_int64_t), intent(out) :: index
            integer(c_int) :: status
        end function
        function c_numbering_place(numbering, index, rank, row) &
                bind(c, name='transrank_numbering_place_f') result(status)
            import
            type(c_ptr), value :: numbering
            integer(c_int64_t), value :: index
            integer(c_int), intent(out) :: rank
            integer(c_int64_t), intent(out) :: row
            integer(c_int) :: status
        end function
        function c_route_halo(comm, grid, corners, route) &
                bind(c, name='transrank_route_halo_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: grid
            integer(c_int), value :: corners
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_redistribution(comm, source, destination, coverage, route) &
                bind(c, name='transrank_route_redistribution_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: source
            type(c_ptr), value :: destination
            integer(c_int), value :: coverage
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_ghost_pull(comm, numbering, count, ghosts, begin, extent, route) &
                bind(c, name='transrank_route_ghost_pull_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: numbering
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: ghosts(*)
            integer(c_int64_t), value :: begin
            integer(c_int64_t), value :: extent
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_ghost_pull_at(comm, numbering, count, ghosts, places, extent, route) &
                bind(c, name='transrank_route_ghost_pull_at_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: numbering
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: ghosts(*)
            integer(c_int64_t), intent(in) :: places(*)
            integer(c_int64_t), value :: extent
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_ghost_push(comm, numbering, count, rows, targets, begin, route) &
                bind(c, name='transrank_route_ghost_push_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: numbering
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: rows(*)
            integer(c_int), intent(in) :: targets(*)
            integer(c_int64_t), value :: begin
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_alltoallv(comm, send_counts, send_displacements, receive_counts,&
            & receive_displacements, route) &
                bind(c, name='transrank_route_alltoallv_f') result(status)
            import
            integer(c_int), value :: comm
            integer(c_int64_t), intent(in) :: send_counts(*)
            integer(c_int64_t), intent(in) :: send_displacements(*)
            integer(c_int64_t), intent(in) :: receive_counts(*)
            integer(c_int64_t), intent(in) :: receive_displacements(*)
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_transposed(route, back) &
                bind(c, name='transrank_route_transposed') result(status)
            import
            type(c_ptr), value :: route
            type(c_ptr), intent(inout) :: back
            integer(c_int) :: status
        end function
        function c_route_save(comm, route, place) &
                bind(c, name='transrank_route_save_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: route
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int) :: status
        end function
        function c_route_load(comm, place, route) &
                bind(c, name='transrank_route_load_f') result(status)
            import
            integer(c_int), value :: comm
            character(kind=c_char), intent(in) :: place(*)
            type(c_ptr), intent(inout) :: route
            integer(c_int) :: status
        end function
        function c_route_extents(route, source, destination) &
                bind(c, name='transrank_route_extents') result(status)
            import
            type(c_ptr), value :: route
            integer(c_int64_t), intent(out) :: source
            integer(c_int64_t), intent(out) :: destination
            integer(c_int) :: status
        end function
        function c_route_shapes(route, source_dimensions, source, destination_dimensions,&
            & destination) &
                bind(c, name='transrank_route_shapes') result(status)
            import
            type(c_ptr), value :: route
            integer(c_int), intent(out) :: source_dimensions
            integer(c_int64_t), intent(out) :: source(*)
            integer(c_int), intent(out) :: destination_dimensions
            integer(c_int64_t), intent(out) :: destination(*)
            integer(c_int) :: status
        end function
        function c_route_ghosts(route, count, ghosts) &
                bind(c, name='transrank_route_ghosts') result(status)
            import
            type(c_ptr), value :: route
            integer(c_int64_t), intent(out) :: count
            type(c_ptr), intent(inout) :: ghosts
            integer(c_int) :: status
        end function
        function c_exchange_bind(comm, route, count, fields, options, exchange) &
                bind(c, name='transrank_exchange_bind_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: route
            integer(c_int), value :: count
            type(field), intent(in) :: fields(*)
            type(exchange_options), intent(in) :: options
            type(c_ptr), intent(inout) :: exchange
            integer(c_int) :: status
        end function
        function c_exchange_start_with(exchange, count, fields) &
                bind(c, name='transrank_exchange_start_with_f') result(status)
            import
            type(c_ptr), value :: exchange
            integer(c_int), value :: count
            type(field), intent(in) :: fields(*)
            integer(c_int) :: status
        end function
        function c_exchange_test(exchange, done) &
                bind(c, name='transrank_exchange_test') result(status)
            import
            type(c_ptr), value :: exchange
            integer(c_int), intent(out) :: done
            integer(c_int) :: status
        end function
        function c_exchange_wait_for(exchange, seconds, done) &
                bind(c, name='transrank_exchange_wait_for') result(status)
            import
            type(c_ptr), value :: exchange
            real(c_double), value :: seconds
            integer(c_int), intent(out) :: done
            integer(c_int) :: status
        end function
        function c_exchange_run_with(exchange, count, fields) &
                bind(c, name='transrank_exchange_run_with_f') result(status)
            import
            type(c_ptr), value :: exchange
            integer(c_int), value :: count
            type(field), intent(in) :: fields(*)
            integer(c_int) :: status
        end function
        function c_exchange_abandon(exchange, why) &
                bind(c, name='transrank_exchange_abandon') result(status)
            import
            type(c_ptr), value :: exchange
            character(kind=c_char), intent(in) :: why(*)
            integer(c_int) :: status
        end function
        function c_exchange_explain(exchange, text) &
                bind(c, name='transrank_exchange_explain_f') result(status)
            import
            type(c_ptr), value :: exchange
            type(c_ptr), intent(inout) :: text
            integer(c_int) :: status
        end function
        function c_ghost_update_pull(comm, rows, count, ghosts, update) &
                bind(c, name='transrank_ghost_update_pull_f') result(status)
            import
            integer(c_int), value :: comm
            type(owned_rows), intent(in) :: rows
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: ghosts(*)
            type(c_ptr), intent(inout) :: update
            integer(c_int) :: status
        end function
        function c_ghost_update_push(comm, rows, count, pushed, targets, update) &
                bind(c, name='transrank_ghost_update_push_f') result(status)
            import
            integer(c_int), value :: comm
            type(owned_rows), intent(in) :: rows
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: pushed(*)
            integer(c_int), intent(in) :: targets(*)
            type(c_ptr), intent(inout) :: update
            integer(c_int) :: status
        end function
        function c_ghost_update_along(comm, rows, route, update) &
                bind(c, name='transrank_ghost_update_along_f') result(status)
            import
            integer(c_int), value :: comm
            type(owned_rows), intent(in) :: rows
            type(c_ptr), value :: route
            type(c_ptr), intent(inout) :: update
            integer(c_int) :: status
        end function
        function c_ghost_update_like(comm, rows, other, update) &
                bind(c, name='transrank_ghost_update_like_f') result(status)
            import
            integer(c_int), value :: comm
            type(owned_rows), intent(in) :: rows
            type(c_ptr), value :: other
            type(c_ptr), intent(inout) :: update
            integer(c_int) :: status
        end function
        function c_ghost_update_ghosts(update, count, indices, offsets, data) &
                bind(c, name='transrank_ghost_update_ghosts') result(status)
            import
            type(c_ptr), value :: update
            integer(c_int64_t), intent(out) :: count
            type(c_ptr), intent(inout) :: indices
            type(c_ptr), intent(inout) :: offsets
            type(c_ptr), intent(inout) :: data
            integer(c_int) :: status
        end function
        function c_ghost_update_bind(comm, update, direction, options, exchange) &
                bind(c, name='transrank_ghost_update_bind_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: update
            integer(c_int), value :: direction
            type(exchange_options), intent(in) :: options
            type(c_ptr), intent(inout) :: exchange
            integer(c_int) :: status
        end function
        function c_alltoall_bind(comm, send, receive, block_bytes, options, exchange) &
                bind(c, name='transrank_alltoall_bind_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: send
            type(c_ptr), value :: receive
            integer(c_int64_t), value :: block_bytes
            type(alltoall_choices), intent(in) :: options
            type(c_ptr), intent(inout) :: exchange
            integer(c_int) :: status
        end function
        function c_alltoallv_bind(comm, send, send_bytes, send_offsets, receive, receive_bytes,&
            & receive_offsets, options, exchange) &
                bind(c, name='transrank_alltoallv_bind_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: send
            integer(c_int64_t), intent(in) :: send_bytes(*)
            integer(c_int64_t), intent(in) :: send_offsets(*)
            type(c_ptr), value :: receive
            integer(c_int64_t), intent(in) :: receive_bytes(*)
            integer(c_int64_t), intent(in) :: receive_offsets(*)
            type(alltoall_choices), intent(in) :: options
            type(c_ptr), intent(inout) :: exchange
            integer(c_int) :: status
        end function
        function c_alltoall(comm, send, receive, block_bytes, options) &
                bind(c, name='transrank_alltoall_f') result(status)
            import
            integer(c_int), value :: comm
            type(c_ptr), value :: send
            type(c_ptr), value :: receive
            integer(c_int64_t), value :: block_bytes
            type(alltoall_choices), intent(in) :: options
            integer(c_int) :: status
        end function
        function c_comm_size(comm, ranks) &
                bind(c, name='transrank_comm_size_f') result(status)
            import
            integer(c_int), value :: comm
            integer(c_int), intent(out) :: ranks
            integer(c_int) :: status
        end function
        function c_shared_alloc(bytes, memory, handle) &
                bind(c, name='transrank_shared_alloc_f') result(status)
            import
            integer(c_int64_t), value :: bytes
            type(c_ptr), intent(inout) :: memory
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
    end interface

    interface from_zero
        procedure from_zero_integer, from_zero_int64
    end interface

    ! Called by pointer, so that they do not become part of the procedures that each step calls.
    procedure(fail), pointer :: fail_apart => fail
    procedure(act), pointer :: act_apart => act

    procedure(on_exchange), bind(c, name='transrank_exchange_start') :: c_exchange_start
    procedure(on_exchange), bind(c, name='transrank_exchange_wait') :: c_exchange_wait
    procedure(on_exchange), bind(c, name='transrank_exchange_run') :: c_exchange_run
    procedure(free_handle), bind(c, name='transrank_distribution_free') :: c_distribution_free
    procedure(free_handle), bind(c, name='transrank_layout_free') :: c_layout_free
    procedure(free_handle), bind(c, name='transrank_numbering_free') :: c_numbering_free
    procedure(free_handle), bind(c, name='transrank_route_free') :: c_route_free
    procedure(free_handle), bind(c, name='transrank_exchange_free') :: c_exchange_free
    procedure(free_handle), bind(c, name='transrank_ghost_update_free') :: c_ghost_update_free
    procedure(free_handle), bind(c, name='transrank_shared_free_f') :: c_memory_free

contains

    ! Errors.

    function text_at(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        call c_f_pointer(address, letters, [c_strlen(address)])
        text = transfer(letters, repeat(' ', size(letters)))
    end function

    !> What a call has come to; `words` in place of the library's own.
    subroutine finish(status, stat, errmsg, words)
        integer(c_int), intent(in) :: status
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=*), intent(in), optional :: words
        if (present(stat)) stat = status
        if (status /= transrank_ok) call fail_apart(present(stat), errmsg, words)
    end subroutine

    !> A call of each step. Without `stat` and `errmsg` it costs little more than the call of C.
    subroutine step(call_of_c, handle, stat, errmsg)
        procedure(on_exchange) :: call_of_c
        type(c_ptr), intent(in) :: handle
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        if (present(stat) .or. present(errmsg)) then
            call act_apart(call_of_c, handle, stat, errmsg)
        else
            status = call_of_c(handle)
            if (status /= transrank_ok) call fail_apart(.false.)
        end if
    end subroutine

    subroutine act(call_of_c, handle, stat, errmsg)
        procedure(on_exchange) :: call_of_c
        type(c_ptr), intent(in) :: handle
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(call_of_c(handle), stat, errmsg)
    end subroutine

    subroutine fail(goes_on, errmsg, words)
        logical, intent(in) :: goes_on
        character(len=*), intent(inout), optional :: errmsg
        character(len=*), intent(in), optional :: words
        character(len=:), allocatable :: text
        text = text_at(c_error_text())
        if (present(words)) text = words
        if (present(errmsg)) errmsg = text
        if (.not. goes_on) error stop text
    end subroutine

    !> What is wrong here becomes the error of all ranks in the collective call that follows; the
    !> other arguments of that call are not looked at.
    subroutine refuse(wrong)
        character(len=:), allocatable, intent(in) :: wrong
        integer(c_int) :: ignored
        if (allocated(wrong)) ignored = c_refuse(wrong // c_null_char)
    end subroutine

    !> Notes what is wrong, unless something is already.
    subroutine require(condition, words, wrong)
        logical, intent(in) :: condition
        character(len=*), intent(in) :: words
        character(len=:), allocatable, intent(inout) :: wrong
        if (.not. condition .and. .not. allocated(wrong)) wrong = words
    end subroutine

    !> Whether something was wrong: then the call is over, without asking C.
    function refused(wrong, stat, errmsg) result(is_over)
        character(len=:), allocatable, intent(in) :: wrong
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        logical :: is_over
        is_over = allocated(wrong)
        if (is_over) call finish(transrank_error_argument, stat, errmsg, wrong)
    end function

    function decimal(number) result(text)
        integer(c_int64_t), intent(in) :: number
        character(len=:), allocatable :: text
        character(len=24) :: digits
        write (digits, '(i0)') number
        text = trim(digits)
    end function

    !> Not collective. Returns the version of the library, for example '0.1.0'.
    function transrank_version() result(text)
        character(len=:), allocatable :: text
        text = text_at(c_version())
    end function

    ! Lists and addresses of C.

    !> Indices, from 1.
    subroutine copy_list(address, count, list)
        type(c_ptr), intent(in) :: address
        integer(c_int64_t), intent(in) :: count
        integer(int64), allocatable, intent(out) :: list(:)
        integer(c_int64_t), pointer :: there(:)
        allocate (list(0))
        if (count == 0) return
        call c_f_pointer(address, there, [count])
        list = there + 1
    end subroutine

    !> As C counts. The least number becomes the largest index, which there never is: C's texts turn
    !> it back.
    elemental function from_zero_integer(index) result(position)
        integer, intent(in) :: index
        integer :: position
        position = huge(position)
        if (index >= -huge(index)) position = index - 1
    end function

    elemental function from_zero_int64(index) result(position)
        integer(int64), intent(in) :: index
        integer(int64) :: position
        position = huge(position)
        if (index >= -huge(index)) position = index - 1
    end function

    !> 1 for an argument that is there and as `wanted`.
    pure function flag(given, wanted) result(raised)
        logical, intent(in), optional :: given
        logical, intent(in) :: wanted
        integer(c_int) :: raised
        raised = 0
        if (present(given)) raised = merge(1, 0, given .eqv. wanted)
    end function

    !> NULL for what is left out.
    function address_of(letters) result(address)
        character(kind=c_char, len=:), allocatable, target, intent(in) :: letters
        type(c_ptr) :: address
        address = c_null_ptr
        if (allocated(letters)) address = c_loc(letters)
    end function

    function terminated(letters) result(text)
        character(len=*), intent(in) :: letters
        character(kind=c_char, len=:), allocatable :: text
        text = trim(letters) // c_null_char
    end function

    ! Objects.

    subroutine object_free(self, stat, errmsg)
        class(transrank_object), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        status = transrank_ok
        if (associated(self%release)) status = self%release(self%handle)
        call finish(status, stat, errmsg)
    end subroutine

    impure elemental subroutine object_end(self)
        type(transrank_object), intent(inout) :: self
        integer(c_int) :: ignored
        if (associated(self%release)) ignored = self%release(self%handle)
    end subroutine

    !> Before an object becomes another one. What it was goes without a word: all ranks come to the
    !> collective call that makes it, and find out what is `wrong` with that call.
    subroutine renew(self, release, wrong)
        class(transrank_object), intent(inout) :: self
        procedure(free_handle) :: release
        character(len=:), allocatable, intent(in), optional :: wrong
        if (present(wrong)) call refuse(wrong)
        call object_end(self)
        self%handle = c_null_ptr
        self%release => release
    end subroutine

    ! Memory.

    subroutine memory_allocate(self, bytes, stat, errmsg)
        class(transrank_memory), intent(inout) :: self
        integer, intent(in) :: bytes
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_memory_free)
        call finish(c_shared_alloc(int(bytes, int64), self%address, self%handle), stat, errmsg)
    end subroutine

    subroutine memory_allocate_int64(self, bytes, stat, errmsg)
        class(transrank_memory), intent(inout) :: self
        integer(int64), intent(in) :: bytes
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_memory_free)
        call finish(c_shared_alloc(int(bytes, int64), self%address, self%handle), stat, errmsg)
    end subroutine

    subroutine memory_free(self, stat, errmsg)
        class(transrank_memory), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        self%address = c_null_ptr
        call self%transrank_object%free(stat, errmsg)
    end subroutine

    ! Distributions.

    subroutine distribution_even(self, extent, parts, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: extent
        integer, intent(in) :: parts
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_distribution_free)
        self%parts = parts
        call finish(c_distribution_even(int(extent, int64), parts, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_irregular(self, lengths, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: lengths(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: boundaries(size(lengths) + 1)
        character(len=:), allocatable :: wrong
        integer :: part
        call renew(self, c_distribution_free)
        self%parts = size(lengths)
        call require(size(lengths) > 0, 'no lengths are given; a part needs one', wrong)
        boundaries(1) = 0
        do part = 1, size(lengths)
            if (lengths(part) < 0 .or. lengths(part) > huge(boundaries) - boundaries(part)) then
                wrong = 'lengths(' // decimal(int(part, int64)) // ') is ' // &
                    decimal(int(lengths(part), int64)) // &
                    '; give 0 or more, and at most 2^63 - 1 in all'
                exit
            end if
            boundaries(part + 1) = boundaries(part) + lengths(part)
        end do
        if (refused(wrong, stat, errmsg)) return
        call finish(c_distribution_irregular(size(lengths), boundaries, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_block_cyclic(self, extent, parts, block, first_part, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: extent
        integer, intent(in) :: parts
        integer, intent(in) :: block
        integer, intent(in), optional :: first_part
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer :: first
        first = 0
        if (present(first_part)) first = first_part
        call renew(self, c_distribution_free)
        self%parts = parts
        call finish(c_distribution_block_cyclic(int(extent, int64), parts, int(block, int64), &
                                                first, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_even_int64(self, extent, parts, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer(int64), intent(in) :: extent
        integer, intent(in) :: parts
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_distribution_free)
        self%parts = parts
        call finish(c_distribution_even(int(extent, int64), parts, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_irregular_int64(self, lengths, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer(int64), intent(in) :: lengths(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: boundaries(size(lengths) + 1)
        character(len=:), allocatable :: wrong
        integer :: part
        call renew(self, c_distribution_free)
        self%parts = size(lengths)
        call require(size(lengths) > 0, 'no lengths are given; a part needs one', wrong)
        boundaries(1) = 0
        do part = 1, size(lengths)
            if (lengths(part) < 0 .or. lengths(part) > huge(boundaries) - boundaries(part)) then
                wrong = 'lengths(' // decimal(int(part, int64)) // ') is ' // &
                    decimal(int(lengths(part), int64)) // &
                    '; give 0 or more, and at most 2^63 - 1 in all'
                exit
            end if
            boundaries(part + 1) = boundaries(part) + lengths(part)
        end do
        if (refused(wrong, stat, errmsg)) return
        call finish(c_distribution_irregular(size(lengths), boundaries, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_block_cyclic_int64(self, extent, parts, block, first_part, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer(int64), intent(in) :: extent
        integer, intent(in) :: parts
        integer(int64), intent(in) :: block
        integer, intent(in), optional :: first_part
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer :: first
        first = 0
        if (present(first_part)) first = first_part
        call renew(self, c_distribution_free)
        self%parts = parts
        call finish(c_distribution_block_cyclic(int(extent, int64), parts, int(block, int64), &
                                                first, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_owned(self, part, count, stat, errmsg)
        class(transrank_distribution), intent(in) :: self
        integer, intent(in) :: part
        integer(int64), intent(out) :: count
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_distribution_owned(self%handle, part, count), stat, errmsg)
    end subroutine

    subroutine distribution_owner(self, index, part, position, stat, errmsg)
        class(transrank_distribution), intent(in) :: self
        integer(int64), intent(in) :: index
        integer, intent(out) :: part
        integer(int64), intent(out), optional :: position
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: place
        integer(c_int) :: status
        status = c_distribution_owner(self%handle, from_zero(index), part, place)
        if (status == transrank_ok .and. present(position)) position = place + 1
        call finish(status, stat, errmsg)
    end subroutine

    ! Layouts.

    subroutine layout_grid(self, distributions, halo, order, ranks, stat, errmsg)
        class(transrank_layout), intent(inout) :: self
        type(transrank_distribution), intent(in) :: distributions(:)
        type(transrank_halo), intent(in), optional :: halo(:)
        integer, intent(in), optional :: order(:), ranks(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(grid_options) :: options
        type(c_ptr) :: handles(size(distributions))
        integer(c_int), allocatable, target :: memory_order(:), rank_of_part(:)
        type(transrank_halo), allocatable, target :: around(:)
        character(len=:), allocatable :: wrong
        integer :: d
        call renew(self, c_layout_free)
        self%dimensions = size(distributions)
        options%part_order = first_fastest
        allocate (memory_order(size(distributions)), source=[(d, d=0, size(distributions) - 1)])
        if (present(order)) then
            call require(size(order) == size(distributions), &
                         'the order of a grid needs one element for each dimension', wrong)
            memory_order = from_zero(order)
        end if
        options%memory_order = c_loc(memory_order)
        if (present(halo)) then
            call require(size(halo) == size(distributions), &
                         'a grid needs one halo for each dimension, or none at all', wrong)
            around = halo
            options%halo = c_loc(around)
        end if
        if (present(ranks)) then
            call require(size(ranks) == product(int(distributions%parts, int64)), &
                         'a grid needs one rank for each part, or none at all', wrong)
            rank_of_part = ranks
            options%ranks = c_loc(rank_of_part)
        end if
        if (refused(wrong, stat, errmsg)) return
        handles = [(distributions(d)%handle, d=1, size(distributions))]
        call finish(c_layout_grid(size(distributions), handles, options, self%handle), stat, errmsg)
    end subroutine

    subroutine layout_points(self, cells, stat, errmsg)
        class(transrank_layout), intent(inout) :: self
        integer(int64), intent(in) :: cells(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_layout_free)
        self%dimensions = 0
        call finish(c_layout_points(size(cells, kind=c_int64_t), from_zero(cells), first_fastest, &
                                    self%handle), stat, errmsg)
    end subroutine

    subroutine layout_box(self, rank, first, last, stat, errmsg)
        class(transrank_layout), intent(in) :: self
        integer, intent(in) :: rank
        integer(int64), intent(out) :: first(:), last(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: begins(most_dimensions), ends(most_dimensions)
        character(len=:), allocatable :: wrong
        integer(c_int) :: status
        call require(size(first) == self%dimensions .and. size(last) == self%dimensions, &
                     'first and last need one element for each dimension of a grid', wrong)
        if (refused(wrong, stat, errmsg)) return
        status = c_layout_box(self%handle, rank, begins, ends)
        if (status == transrank_ok) then
            first = begins(:size(first)) + 1
            last = ends(:size(last))
        end if
        call finish(status, stat, errmsg)
    end subroutine

    subroutine layout_local_shape(self, rank, lengths, strides, cells, stat, errmsg)
        class(transrank_layout), intent(in) :: self
        integer, intent(in) :: rank
        integer(int64), intent(out) :: lengths(:)
        integer(int64), intent(out), optional :: strides(:), cells
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: extents(most_dimensions), steps(most_dimensions), units
        integer(c_int) :: status
        character(len=*), parameter :: words = &
            'the shape needs one element for each dimension of a grid'
        character(len=:), allocatable :: wrong
        call require(size(lengths) == self%dimensions, words, wrong)
        if (present(strides)) call require(size(strides) == self%dimensions, words, wrong)
        if (refused(wrong, stat, errmsg)) return
        status = c_layout_local(self%handle, rank, extents, steps, units)
        if (status == transrank_ok) then
            lengths = extents(:size(lengths))
            if (present(strides)) strides = steps(:size(strides))
            if (present(cells)) cells = units
        end if
        call finish(status, stat, errmsg)
    end subroutine

    ! Numberings.

    subroutine numbering_create(self, comm, owned, table, stat, errmsg)
        class(transrank_numbering), intent(inout) :: self
        integer, intent(in) :: comm
        integer, intent(in) :: owned
        logical, intent(in), optional :: table
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_numbering_free)
        call finish(c_numbering_create(comm, int(owned, int64), flag(table, .true.), self%handle),&
            & stat, errmsg)
    end subroutine


    subroutine numbering_create_int64(self, comm, owned, table, stat, errmsg)
        class(transrank_numbering), intent(inout) :: self
        integer, intent(in) :: comm
        integer(int64), intent(in) :: owned
        logical, intent(in), optional :: table
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_numbering_free)
        call finish(c_numbering_create(comm, int(owned, int64), flag(table, .true.), self%handle),&
            & stat, errmsg)
    end subroutine


    subroutine numbering_range(self, first, last, all, stat, errmsg)
        class(transrank_numbering), intent(in) :: self
        integer(int64), intent(out) :: first, last
        integer(int64), intent(out), optional :: all
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: extent
        integer(c_int) :: status
        status = c_numbering_range(self%handle, first, last, extent)
        if (status == transrank_ok) then
            first = first + 1
            if (present(all)) all = extent
        end if
        call finish(status, stat, errmsg)
    end subroutine

    subroutine numbering_index(self, rank, row, index, stat, errmsg)
        class(transrank_numbering), intent(in) :: self
        integer, intent(in) :: rank
        integer(int64), intent(in) :: row
        integer(int64), intent(out) :: index
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        status = c_numbering_index(self%handle, rank, from_zero(row), index)
        if (status == transrank_ok) index = index + 1
        call finish(status, stat, errmsg)
    end subroutine

    subroutine numbering_place(self, index, rank, row, stat, errmsg)
        class(transrank_numbering), intent(in) :: self
        integer(int64), intent(in) :: index
        integer, intent(out) :: rank
        integer(int64), intent(out) :: row
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        status = c_numbering_place(self%handle, from_zero(index), rank, row)
        if (status == transrank_ok) row = row + 1
        call finish(status, stat, errmsg)
    end subroutine

    ! Routes.

    subroutine route_halo(self, comm, grid, corners, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_layout), intent(in) :: grid
        logical, intent(in), optional :: corners
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_route_free)
        call finish(c_route_halo(comm, grid%handle, flag(corners, .false.), self%handle), stat,&
            & errmsg)
    end subroutine

    subroutine route_redistribution(self, comm, source, destination, fill_halo, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_layout), intent(in) :: source, destination
        logical, intent(in), optional :: fill_halo
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_route_free)
        call finish(c_route_redistribution(comm, source%handle, destination%handle, &
            & flag(fill_halo, .true.), self%handle), stat, errmsg)
    end subroutine

    subroutine route_ghost_pull(self, comm, numbering, ghosts, first, rows, places, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_numbering), intent(in) :: numbering
        integer(int64), intent(in) :: ghosts(:)
        integer(int64), intent(in), optional :: first, rows, places(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        integer(c_int64_t) :: begin, extent
        if (.not. present(places)) then
            begin = 0
            if (present(first)) begin = from_zero(first)
            extent = begin + min(size(ghosts, kind=c_int64_t), huge(extent) - max(begin, 0_c_int64_t))
            if (present(rows)) extent = rows
            call renew(self, c_route_free)
            call finish(c_route_ghost_pull(comm, numbering%handle, size(ghosts, kind=c_int64_t), &
                                           from_zero(ghosts), begin, extent, self%handle), &
                        stat, errmsg)
            return
        end if
        call require(size(ghosts) == size(places), &
                     decimal(size(ghosts, kind=c_int64_t)) // ' ghosts arrive at ' // &
                     decimal(size(places, kind=c_int64_t)) // ' places; give one for each', wrong)
        extent = max(0_c_int64_t, maxval(places))
        if (present(rows)) extent = rows
        call renew(self, c_route_free, wrong)
        call finish(c_route_ghost_pull_at(comm, numbering%handle, size(ghosts, kind=c_int64_t), &
                                          from_zero(ghosts), from_zero(places), extent, &
                                          self%handle), stat, errmsg)
    end subroutine

    subroutine route_ghost_push(self, comm, numbering, pushed, targets, first, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_numbering), intent(in) :: numbering
        integer(int64), intent(in) :: pushed(:)
        integer, intent(in) :: targets(:)
        integer(int64), intent(in), optional :: first
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        integer(c_int64_t) :: begin
        begin = 0
        if (present(first)) begin = from_zero(first)
        call require_targets(pushed, targets, wrong)
        call renew(self, c_route_free, wrong)
        call finish(c_route_ghost_push(comm, numbering%handle, size(pushed, kind=c_int64_t), &
                                       from_zero(pushed), targets, begin, self%handle), &
                    stat, errmsg)
    end subroutine

    subroutine require_targets(pushed, targets, wrong)
        integer(int64), intent(in) :: pushed(:)
        integer, intent(in) :: targets(:)
        character(len=:), allocatable, intent(inout) :: wrong
        call require(size(pushed) == size(targets), &
                     decimal(size(pushed, kind=c_int64_t)) // ' rows are pushed to ' // &
                     decimal(size(targets, kind=c_int64_t)) // ' ranks; give a rank for each', &
                     wrong)
    end subroutine

    subroutine route_alltoallv(self, comm, send_counts, receive_counts, send_first, receive_first,&
        & stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        integer(int64), intent(in) :: send_counts(:), receive_counts(:)
        integer(int64), intent(in), optional :: send_first(:), receive_first(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t), allocatable :: sends(:), receives(:)
        character(len=:), allocatable :: wrong
        call place_blocks(comm, send_counts, send_first, sends, wrong)
        call place_blocks(comm, receive_counts, receive_first, receives, wrong)
        call renew(self, c_route_free, wrong)
        call finish(c_route_alltoallv(comm, send_counts, sends, receive_counts, receives, &
                                      self%handle), stat, errmsg)
    end subroutine

    !> Where the blocks of an alltoall begin, from 0: as given, or one after the other, at most
    !> where an index can be.
    subroutine place_blocks(comm, counts, first, begins, wrong)
        integer, intent(in) :: comm
        integer(int64), intent(in) :: counts(:)
        integer(int64), intent(in), optional :: first(:)
        integer(c_int64_t), allocatable, intent(out) :: begins(:)
        character(len=:), allocatable, intent(inout) :: wrong
        integer(c_int) :: ranks
        integer :: i
        allocate (begins(size(counts)), source=0_c_int64_t)
        do i = 2, size(counts)
            begins(i) = begins(i - 1) + min(max(counts(i - 1), 0_int64), &
                                            huge(begins) - 1 - begins(i - 1))
        end do
        if (present(first)) begins = from_zero(first)
        ! What is no communicator is refused by the call that follows.
        if (c_comm_size(comm, ranks) /= transrank_ok) return
        call require(size(counts) == ranks .and. size(begins) == ranks, &
                     'the blocks of an alltoall have ' // decimal(size(counts, kind=c_int64_t)) // &
                     ' lengths and ' // decimal(size(begins, kind=c_int64_t)) // &
                     ' beginnings; give one for each of ' // decimal(int(ranks, c_int64_t)) // &
                     ' ranks', wrong)
    end subroutine

    subroutine route_transposed(self, route, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        type(transrank_route), intent(in) :: route
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_route_free)
        call finish(c_route_transposed(route%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine route_save(self, comm, place, stat, errmsg)
        class(transrank_route), intent(in) :: self
        integer, intent(in) :: comm
        character(len=*), intent(in) :: place
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_route_save(comm, self%handle, terminated(place)), stat, errmsg)
    end subroutine

    subroutine route_load(self, comm, place, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        character(len=*), intent(in) :: place
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call renew(self, c_route_free)
        call finish(c_route_load(comm, terminated(place), self%handle), stat, errmsg)
    end subroutine

    subroutine route_extents(self, source, destination, stat, errmsg)
        class(transrank_route), intent(in) :: self
        integer(int64), intent(out) :: source, destination
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_route_extents(self%handle, source, destination), stat, errmsg)
    end subroutine

    subroutine route_ghosts(self, indices, stat, errmsg)
        class(transrank_route), intent(in) :: self
        integer(int64), allocatable, intent(out) :: indices(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: count
        integer(c_int) :: status
        type(c_ptr) :: list
        list = c_null_ptr
        status = c_route_ghosts(self%handle, count, list)
        if (status == transrank_ok) call copy_list(list, count, indices)
        call finish(status, stat, errmsg)
    end subroutine

    ! Fields: the compiler chooses by kind, and refuses two arrays of different ones, and what is not
    ! there any longer when the call returns: a pointer needs a target.

    subroutine fields_add_int8(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int8), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_int8(source), array_of_int8(destination), &
                             1, values, stat, errmsg)
    end subroutine

    function array_of_int8(given) result(it)
        integer(int8), pointer, intent(in) :: given(..)
        type(array) :: it
        integer(int8), pointer :: p1(:)
        integer(int8), pointer :: p2(:, :)
        integer(int8), pointer :: p3(:, :, :)
        integer(int8), pointer :: p4(:, :, :, :)
        integer(int8), pointer :: p5(:, :, :, :, :)
        integer(int8), pointer :: p6(:, :, :, :, :, :)
        integer(int8), pointer :: p7(:, :, :, :, :, :, :)
        integer(int8), pointer :: p8(:, :, :, :, :, :, :, :)
        integer(int8), pointer :: p9(:, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int8), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(1))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    subroutine fields_add_int16(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int16), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_int16(source), array_of_int16(destination), &
                             2, values, stat, errmsg)
    end subroutine

    function array_of_int16(given) result(it)
        integer(int16), pointer, intent(in) :: given(..)
        type(array) :: it
        integer(int16), pointer :: p1(:)
        integer(int16), pointer :: p2(:, :)
        integer(int16), pointer :: p3(:, :, :)
        integer(int16), pointer :: p4(:, :, :, :)
        integer(int16), pointer :: p5(:, :, :, :, :)
        integer(int16), pointer :: p6(:, :, :, :, :, :)
        integer(int16), pointer :: p7(:, :, :, :, :, :, :)
        integer(int16), pointer :: p8(:, :, :, :, :, :, :, :)
        integer(int16), pointer :: p9(:, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int16), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(2))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    subroutine fields_add_int32(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int32), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_int32(source), array_of_int32(destination), &
                             3, values, stat, errmsg)
    end subroutine

    function array_of_int32(given) result(it)
        integer(int32), pointer, intent(in) :: given(..)
        type(array) :: it
        integer(int32), pointer :: p1(:)
        integer(int32), pointer :: p2(:, :)
        integer(int32), pointer :: p3(:, :, :)
        integer(int32), pointer :: p4(:, :, :, :)
        integer(int32), pointer :: p5(:, :, :, :, :)
        integer(int32), pointer :: p6(:, :, :, :, :, :)
        integer(int32), pointer :: p7(:, :, :, :, :, :, :)
        integer(int32), pointer :: p8(:, :, :, :, :, :, :, :)
        integer(int32), pointer :: p9(:, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int32), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(3))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    subroutine fields_add_int64(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int64), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_int64(source), array_of_int64(destination), &
                             4, values, stat, errmsg)
    end subroutine

    function array_of_int64(given) result(it)
        integer(int64), pointer, intent(in) :: given(..)
        type(array) :: it
        integer(int64), pointer :: p1(:)
        integer(int64), pointer :: p2(:, :)
        integer(int64), pointer :: p3(:, :, :)
        integer(int64), pointer :: p4(:, :, :, :)
        integer(int64), pointer :: p5(:, :, :, :, :)
        integer(int64), pointer :: p6(:, :, :, :, :, :)
        integer(int64), pointer :: p7(:, :, :, :, :, :, :)
        integer(int64), pointer :: p8(:, :, :, :, :, :, :, :)
        integer(int64), pointer :: p9(:, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int64), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(4))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    subroutine fields_add_real32(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        real(real32), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_real32(source), array_of_real32(destination), &
                             9, values, stat, errmsg)
    end subroutine

    function array_of_real32(given) result(it)
        real(real32), pointer, intent(in) :: given(..)
        type(array) :: it
        real(real32), pointer :: p1(:)
        real(real32), pointer :: p2(:, :)
        real(real32), pointer :: p3(:, :, :)
        real(real32), pointer :: p4(:, :, :, :)
        real(real32), pointer :: p5(:, :, :, :, :)
        real(real32), pointer :: p6(:, :, :, :, :, :)
        real(real32), pointer :: p7(:, :, :, :, :, :, :)
        real(real32), pointer :: p8(:, :, :, :, :, :, :, :)
        real(real32), pointer :: p9(:, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        real(real32), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(9))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    subroutine fields_add_real64(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        real(real64), pointer, intent(in) :: source(..), destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_arrays(array_of_real64(source), array_of_real64(destination), &
                             10, values, stat, errmsg)
    end subroutine

    function array_of_real64(given) result(it)
        real(real64), pointer, intent(in) :: given(..)
        type(array) :: it
        real(real64), pointer :: p1(:)
        real(real64), pointer :: p2(:, :)
        real(real64), pointer :: p3(:, :, :)
        real(real64), pointer :: p4(:, :, :, :)
        real(real64), pointer :: p5(:, :, :, :, :)
        real(real64), pointer :: p6(:, :, :, :, :, :)
        real(real64), pointer :: p7(:, :, :, :, :, :, :)
        real(real64), pointer :: p8(:, :, :, :, :, :, :, :)
        real(real64), pointer :: p9(:, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p10(:, :, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p11(:, :, :, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p12(:, :, :, :, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p13(:, :, :, :, :, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p14(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
        real(real64), pointer :: p15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        type(c_ptr) :: places(0:most_rank), seen(0:most_rank)
        integer :: at(most_rank), i, d
        it%elements = size(given, kind=c_int64_t)
        it%contiguous = is_contiguous(given)
        it%view = view(rank(given), element_bytes=scalar_bytes(10))
        it%dimensions(rank(given):1:-1)%count = shape(given, c_int64_t)
        it%address = c_loc(given)
        if (it%elements == 0) return
        do d = 0, rank(given)
            at(:rank(given)) = lbound(given) + merge(1, 0, [(i == d, i=1, rank(given))] .and. &
                                                     it%dimensions(rank(given):1:-1)%count > 1)
            select rank (given)
            rank (1)
                p1 => given
                places(d) = c_loc(p1(at(1)))
                seen(d) = c_loc(given(at(1)))
            rank (2)
                p2 => given
                places(d) = c_loc(p2(at(1), at(2)))
                seen(d) = c_loc(given(at(1), at(2)))
            rank (3)
                p3 => given
                places(d) = c_loc(p3(at(1), at(2), at(3)))
                seen(d) = c_loc(given(at(1), at(2), at(3)))
            rank (4)
                p4 => given
                places(d) = c_loc(p4(at(1), at(2), at(3), at(4)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4)))
            rank (5)
                p5 => given
                places(d) = c_loc(p5(at(1), at(2), at(3), at(4), at(5)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5)))
            rank (6)
                p6 => given
                places(d) = c_loc(p6(at(1), at(2), at(3), at(4), at(5), at(6)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6)))
            rank (7)
                p7 => given
                places(d) = c_loc(p7(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
            rank (8)
                p8 => given
                places(d) = c_loc(p8(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)))
            rank (9)
                p9 => given
                places(d) = c_loc(p9(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9)))
            rank (10)
                p10 => given
                places(d) = c_loc(p10(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10)))
            rank (11)
                p11 => given
                places(d) = c_loc(p11(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11)))
            rank (12)
                p12 => given
                places(d) = c_loc(p12(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12)))
            rank (13)
                p13 => given
                places(d) = c_loc(p13(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13)))
            rank (14)
                p14 => given
                places(d) = c_loc(p14(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14)))
            rank (15)
                p15 => given
                places(d) = c_loc(p15(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
                seen(d) = c_loc(given(at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8),&
                    & at(9), at(10), at(11), at(12), at(13), at(14), at(15)))
            end select
        end do
        call set_strides(it, places, seen)
    end function

    !> From the places of the first element and of the next one in each dimension. Those that are
    !> `seen` without a pointer are others where gfortran passes a component of the elements of an
    !> array, of which it also passes a wrong address.
    subroutine set_strides(it, places, seen)
        type(array), intent(inout) :: it
        type(c_ptr), intent(in) :: places(0:), seen(0:)
        integer(c_intptr_t) :: place
        integer :: d
        if (it%view%count > 0) it%address = places(0)
        do d = 1, it%view%count
            it%is_component = it%is_component .or. .not. c_associated(places(d), seen(d))
            it%dimensions(it%view%count + 1 - d)%stride_bytes = &
                transfer(places(d), place) - transfer(places(0), place)
        end do
    end subroutine

    subroutine fields_add_arrays(self, source, destination, scalar, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        type(array), intent(in) :: source, destination
        integer, intent(in) :: scalar
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: in_unit, sizes(2), bytes
        character(len=:), allocatable :: wrong
        in_unit = 1
        if (present(values)) in_unit = values
        sizes = [source%elements, destination%elements]
        if (in_unit < 1) then
            wrong = 'a cell of ' // decimal(in_unit) // ' values; give 1 or more'
        else if (source%is_component .or. destination%is_component) then
            wrong = 'an array of a field is a component of an array of a derived type, which this' // &
                ' compiler does not pass as it lies; give an array of its own'
        else if (any(mod(sizes, in_unit) /= 0)) then
            wrong = 'a field has ' // decimal(sizes(1)) // ' elements to send from and ' // &
                decimal(sizes(2)) // ' to receive into, which are no multiples of the ' // &
                decimal(in_unit) // ' values of a cell'
        end if
        if (allocated(wrong)) self%refused = wrong
        if (refused(wrong, stat, errmsg)) return
        bytes = scalar_bytes(scalar)
        if (.not. allocated(self%list)) allocate (self%list(0), self%arrays(0))
        self%list = [self%list, field(source%address, bytes * sizes(1), destination%address, &
                                      bytes * sizes(2), bytes * in_unit, scalar)]
        self%arrays = [self%arrays, source, destination]
        call finish(transrank_ok, stat, errmsg)
    end subroutine

    !> Of a route of a grid: whether each array has the shape of the grid's local array.
    subroutine require_shapes(route, fields, wrong)
        type(transrank_route), intent(in) :: route
        type(transrank_fields), intent(in) :: fields
        character(len=:), allocatable, intent(inout) :: wrong
        character(len=*), parameter :: names(2) = ['source     ', 'destination']
        integer(c_int) :: dimensions(2)
        integer(c_int64_t) :: lengths(most_dimensions, 2)
        integer :: i, side
        if (allocated(wrong) .or. .not. allocated(fields%list)) return
        ! Where there is no route, the call that follows says so.
        if (c_route_shapes(route%handle, dimensions(1), lengths(:, 1), &
                           dimensions(2), lengths(:, 2)) /= transrank_ok) return
        do i = 1, size(fields%list)
            do side = 1, 2
                associate (wanted => lengths(dimensions(side):1:-1, side), &
                           it => fields%arrays(2 * i - 2 + side))
                    associate (given => it%dimensions(it%view%count:1:-1)%count, &
                               values => fields%list(i)%unit_bytes / it%view%element_bytes)
                        if (has_shape(given, values, wanted)) cycle
                        wrong = 'field ' // decimal(int(i, c_int64_t)) // ': the ' // &
                            trim(names(side)) // ' has shape ' // tuple(given) // '; this' // &
                            " rank's array of this grid has shape " // tuple(wanted) // &
                            ', halo included (local_shape), the fastest dimension in memory first'
                        if (size(given) < size(wanted)) return
                        if (all(given(size(given) - size(wanted) + 1:) == &
                                lengths(:dimensions(side), side))) then
                            wrong = wrong // '; these dimensions are in the reverse order'
                        else if (size(given) > size(wanted)) then
                            wrong = wrong // '; give one field per component, u(:, :, k), or' // &
                                ' put the values of a cell first'
                        end if
                        return
                    end associate
                end associate
            end do
        end do
    end subroutine

    !> Whether the array is the grid's, with `values` in each cell, or flat with as many. A rank that
    !> has no part of the grid has no cells, whatever the shape.
    pure function has_shape(given, values, wanted) result(has)
        integer(c_int64_t), intent(in) :: given(:), values, wanted(:)
        logical :: has
        integer :: inner
        has = size(wanted) == 0
        if (has .or. product(given) /= values * product(wanted)) return
        has = all(wanted == 0) .or. size(given) <= 1
        if (has) return
        has = given(size(given)) == product(wanted)
        inner = size(given) - size(wanted)
        if (has .or. inner < 0) return
        has = all(given(inner + 1:) == wanted) .and. product(given(:inner)) == values
    end function

    function tuple(lengths) result(text)
        integer(c_int64_t), intent(in) :: lengths(:)
        character(len=:), allocatable :: text
        character(len=24 * most_rank) :: numbers
        write (numbers, '("(", *(i0, :, ", "))') lengths
        text = trim(numbers) // ')'
    end function

    !> The field where there is one only.
    function only_field(fields, wrong) result(only)
        type(transrank_fields), intent(in) :: fields
        character(len=:), allocatable, intent(inout) :: wrong
        type(field) :: only
        integer(c_int64_t) :: count
        count = 0
        if (allocated(fields%list)) count = size(fields%list)
        if (allocated(fields%refused)) call require(.false., fields%refused, wrong)
        call require(count == 1, &
                     decimal(count) // ' fields were added; this call takes exactly one', wrong)
        if (count /= 1) return
        only = fields%list(1)
        call require(all(fields%arrays%contiguous), 'an array of this call is not contiguous;' // &
                     ' give a whole array, or one that is', wrong)
    end function

    ! Ghost updates.

    !> Owned rows of one length.
    function equal_rows(fields, wrong) result(rows)
        type(transrank_fields), intent(in) :: fields
        character(len=:), allocatable, intent(inout) :: wrong
        type(owned_rows) :: rows
        type(field) :: it
        it = only_field(fields, wrong)
        if (allocated(wrong)) return
        call require(c_associated(it%source, it%destination) &
                     .and. it%source_bytes == it%destination_bytes, &
                     'the owned rows of a ghost update are one array; add it as source and' // &
                     ' destination', wrong)
        rows = owned_rows(it%source_bytes / it%unit_bytes, &
                          it%unit_bytes / scalar_bytes(it%scalar), c_null_ptr, &
                          scalar_bytes(it%scalar), it%scalar, it%source, it%source_bytes)
    end function

    !> The result points to `begins`.
    function uneven_rows(fields, offsets, begins, wrong) result(rows)
        type(transrank_fields), intent(in) :: fields
        integer(int64), target, intent(in) :: offsets(:)
        integer(c_int64_t), allocatable, target, intent(out) :: begins(:)
        character(len=:), allocatable, intent(inout) :: wrong
        type(owned_rows) :: rows
        rows = equal_rows(fields, wrong)
        ! What is not allocated has no address, whatever its size is.
        call require(size(offsets) > 0 .and. c_associated(c_loc(offsets)), 'the offsets are' // &
                     ' empty; n rows have n + 1, and rows of one length are given without', wrong)
        if (allocated(wrong)) return
        call require(rows%length == 1, 'rows of any length need values of 1', wrong)
        call require(all(offsets >= 1), 'an offset is ' // decimal(minval(offsets)) // &
                     '; they count from 1', wrong)
        begins = from_zero(offsets)
        rows%count = size(offsets, kind=c_int64_t) - 1
        rows%length = 0
        rows%offsets = c_loc(begins)
    end function


    subroutine ghost_update_pull(self, comm, rows, ghosts, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        integer(int64), intent(in) :: ghosts(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        owned = equal_rows(rows, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_pull(comm, owned, size(ghosts, kind=c_int64_t),&
            & from_zero(ghosts), self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_pull_uneven(self, comm, rows, ghosts, offsets, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        integer(int64), intent(in) :: ghosts(:)
        integer(int64), target, intent(in) :: offsets(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        integer(c_int64_t), allocatable, target :: begins(:)
        owned = uneven_rows(rows, offsets, begins, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_pull(comm, owned, size(ghosts, kind=c_int64_t),&
            & from_zero(ghosts), self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_push(self, comm, rows, pushed, targets, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        integer(int64), intent(in) :: pushed(:)
        integer, intent(in) :: targets(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        call require_targets(pushed, targets, wrong)
        owned = equal_rows(rows, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_push(comm, owned, size(pushed, kind=c_int64_t),&
            & from_zero(pushed), targets, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_push_uneven(self, comm, rows, pushed, targets, offsets, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        integer(int64), intent(in) :: pushed(:)
        integer, intent(in) :: targets(:)
        integer(int64), target, intent(in) :: offsets(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        integer(c_int64_t), allocatable, target :: begins(:)
        call require_targets(pushed, targets, wrong)
        owned = uneven_rows(rows, offsets, begins, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_push(comm, owned, size(pushed, kind=c_int64_t),&
            & from_zero(pushed), targets, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_along(self, comm, rows, route, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        type(transrank_route), intent(in) :: route
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        owned = equal_rows(rows, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_along(comm, owned, route%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_along_uneven(self, comm, rows, route, offsets, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        type(transrank_route), intent(in) :: route
        integer(int64), target, intent(in) :: offsets(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        integer(c_int64_t), allocatable, target :: begins(:)
        owned = uneven_rows(rows, offsets, begins, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_along(comm, owned, route%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_like(self, comm, rows, other, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        type(transrank_ghost_update), intent(in) :: other
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        owned = equal_rows(rows, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_like(comm, owned, other%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_like_uneven(self, comm, rows, other, offsets, stat, errmsg)
        class(transrank_ghost_update), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: rows
        type(transrank_ghost_update), intent(in) :: other
        integer(int64), target, intent(in) :: offsets(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(owned_rows) :: owned
        integer(c_int64_t), allocatable, target :: begins(:)
        owned = uneven_rows(rows, offsets, begins, wrong)
        call renew(self, c_ghost_update_free, wrong)
        call finish(c_ghost_update_like(comm, owned, other%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine ghost_update_ghosts(self, indices, offsets, address, stat, errmsg)
        class(transrank_ghost_update), intent(in) :: self
        integer(int64), allocatable, intent(out), optional :: indices(:), offsets(:)
        type(c_ptr), intent(out), optional :: address
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: list, begins, place
        integer(c_int64_t) :: count
        integer(c_int) :: status
        status = c_ghost_update_ghosts(self%handle, count, list, begins, place)
        if (status == transrank_ok) then
            if (present(indices)) call copy_list(list, count, indices)
            if (present(offsets)) call copy_list(begins, count + 1, offsets)
            if (present(address)) address = place
        end if
        call finish(status, stat, errmsg)
    end subroutine

    ! Exchanges.

    !> Adds a set of fields to those that C is given, with arrays of the shapes of `like`.
    subroutine add_set(fields, like, list, arrays, wrong)
        type(transrank_fields), intent(in) :: fields
        type(array), allocatable, intent(in) :: like(:)
        type(field), allocatable, intent(inout) :: list(:)
        type(array), allocatable, intent(inout) :: arrays(:)
        character(len=:), allocatable, intent(inout) :: wrong
        integer :: i
        logical :: alike
        if (.not. allocated(list)) allocate (list(0), arrays(0))
        if (allocated(fields%refused)) call require(.false., fields%refused, wrong)
        if (.not. allocated(fields%list)) return
        if (allocated(like)) then
            alike = size(like) == size(fields%arrays)
            do i = 1, merge(size(like), 0, alike)
                associate (one => like(i)%dimensions, other => fields%arrays(i)%dimensions)
                    alike = alike .and. all(one%count == other%count)
                end associate
            end do
            call require(alike, 'the arrays have other shapes than those that are bound, or are' // &
                         ' not as many', wrong)
        end if
        list = [list, fields%list]
        arrays = [arrays, fields%arrays]
    end subroutine

    !> Lets the views of fields point to their arrays.
    subroutine set_views(list, arrays)
        type(field), intent(inout) :: list(:)
        type(array), target, intent(inout) :: arrays(:)
        integer :: i
        do i = 1, size(arrays)
            arrays(i)%view%dimensions = c_loc(arrays(i)%dimensions)
        end do
        do i = 1, size(list)
            list(i)%source_view = c_loc(arrays(2 * i - 1)%view)
            list(i)%destination_view = c_loc(arrays(2 * i)%view)
        end do
    end subroutine

    function options_of(operation, name, longest_message_bytes, together) result(options)
        integer, intent(in), optional :: operation
        character(kind=c_char, len=:), allocatable, target, intent(in) :: name
        integer(int64), intent(in), optional :: longest_message_bytes
        logical, intent(in), optional :: together
        type(exchange_options) :: options
        if (present(operation)) options%operation = operation
        options%transport = address_of(name)
        if (present(longest_message_bytes)) options%longest_message_bytes = longest_message_bytes
        options%together = flag(together, .true.)
    end function

    subroutine exchange_bind(self, comm, route, fields, operation, transport,&
        & longest_message_bytes, others, any_memory, together, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_route), intent(in) :: route
        type(transrank_fields), intent(in) :: fields
        integer, intent(in), optional :: operation
        character(len=*), intent(in), optional :: transport
        integer(int64), intent(in), optional :: longest_message_bytes
        type(transrank_fields), intent(in), optional :: others(:)
        logical, intent(in), optional :: any_memory
        logical, intent(in), optional :: together
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(field), allocatable :: list(:)
        type(array), allocatable, target :: arrays(:)
        type(exchange_options) :: options
        character(kind=c_char, len=:), allocatable, target :: name
        character(len=:), allocatable :: wrong
        integer :: i, count
        if (present(transport)) name = terminated(transport)
        options = options_of(operation, name, longest_message_bytes, together)
        options%any_memory = flag(any_memory, .true.)
        if (allocated(self%arrays)) deallocate (self%arrays)
        call add_set(fields, self%arrays, list, arrays, wrong)
        call require_shapes(route, fields, wrong)
        self%arrays = arrays
        count = size(list)
        if (present(others)) then
            options%sets = 1 + size(others)
            do i = 1, size(others)
                call add_set(others(i), self%arrays, list, arrays, wrong)
            end do
        end if
        call set_views(list, arrays)
        call renew(self, c_exchange_free, wrong)
        call finish(c_exchange_bind(comm, route%handle, count, list, options, self%handle), &
                    stat, errmsg)
    end subroutine

    subroutine exchange_bind_ghost_update(self, comm, update, direction, operation, transport,&
        & longest_message_bytes, together, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_ghost_update), intent(in) :: update
        integer, intent(in) :: direction
        integer, intent(in), optional :: operation
        character(len=*), intent(in), optional :: transport
        integer(int64), intent(in), optional :: longest_message_bytes
        logical, intent(in), optional :: together
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(kind=c_char, len=:), allocatable, target :: name
        if (present(transport)) name = terminated(transport)
        call renew(self, c_exchange_free)
        call finish(c_ghost_update_bind(comm, update%handle, direction, &
                                        options_of(operation, name, longest_message_bytes, &
                                                   together), self%handle), stat, errmsg)
    end subroutine

    !> `kept` is what the result points to.
    function choices_of(options, kept) result(choices)
        type(transrank_alltoall_options), intent(in), optional :: options
        type(kept_choices), target, intent(out) :: kept
        type(alltoall_choices) :: choices
        if (.not. present(options)) return
        if (allocated(options%algorithm)) kept%algorithm = terminated(options%algorithm)
        if (allocated(options%choices)) kept%choices = terminated(options%choices)
        choices = alltoall_choices(address_of(kept%algorithm), address_of(kept%choices), &
                                   options%radix, options%window, options%leaders, &
                                   options%ranks_per_node)
        if (allocated(options%torus)) then
            kept%torus = options%torus
            choices%torus = c_loc(kept%torus)
            choices%torus_dimensions = size(kept%torus)
        end if
        choices%any_memory = flag(options%any_memory, .true.)
    end function

    !> The field of an alltoall, which has room for a block of each rank.
    function blocks_of(comm, fields, wrong) result(blocks)
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: fields
        character(len=:), allocatable, intent(inout) :: wrong
        type(field) :: blocks
        integer(c_int64_t) :: room
        integer(c_int) :: ranks
        blocks = only_field(fields, wrong)
        if (allocated(wrong)) return
        if (c_comm_size(comm, ranks) /= transrank_ok) return
        room = min(blocks%source_bytes, blocks%destination_bytes) / blocks%unit_bytes
        call require(room >= ranks, 'an array of an alltoall has room for ' // decimal(room) // &
                     ' blocks; give one with a block for each of ' // &
                     decimal(int(ranks, c_int64_t)) // ' ranks', wrong)
    end function

    subroutine exchange_bind_alltoall(self, comm, fields, options, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: fields
        type(transrank_alltoall_options), intent(in), optional :: options
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(kept_choices), target :: kept
        type(field) :: blocks
        blocks = blocks_of(comm, fields, wrong)
        if (.not. allocated(wrong)) self%arrays = fields%arrays
        call renew(self, c_exchange_free, wrong)
        call finish(c_alltoall_bind(comm, blocks%source, blocks%destination, blocks%unit_bytes, &
                                    choices_of(options, kept), self%handle), stat, errmsg)
    end subroutine

    !> Collective. Binds, runs and frees one alltoall: each rank sends one block to each rank.
    !> `fields` contains one field, as in the procedure bind_alltoall of transrank_exchange.
    subroutine transrank_alltoall(comm, fields, options, stat, errmsg)
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: fields
        type(transrank_alltoall_options), intent(in), optional :: options
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        type(kept_choices), target :: kept
        type(field) :: blocks
        blocks = blocks_of(comm, fields, wrong)
        call refuse(wrong)
        call finish(c_alltoall(comm, blocks%source, blocks%destination, blocks%unit_bytes, &
                               choices_of(options, kept)), stat, errmsg)
    end subroutine

    subroutine exchange_bind_alltoallv(self, comm, fields, send_counts, receive_counts,&
        & send_first, receive_first, options, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_fields), intent(in) :: fields
        integer(int64), intent(in) :: send_counts(:), receive_counts(:)
        integer(int64), intent(in), optional :: send_first(:), receive_first(:)
        type(transrank_alltoall_options), intent(in), optional :: options
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=:), allocatable :: wrong
        integer(c_int64_t), allocatable :: sends(:), receives(:)
        type(kept_choices), target :: kept
        type(field) :: it
        it = only_field(fields, wrong)
        if (.not. allocated(wrong)) self%arrays = fields%arrays
        call place_blocks(comm, send_counts, send_first, sends, wrong)
        call place_blocks(comm, receive_counts, receive_first, receives, wrong)
        if (.not. allocated(wrong)) then
            call require_room(it%source_bytes / it%unit_bytes, send_counts, sends, wrong)
            call require_room(it%destination_bytes / it%unit_bytes, receive_counts, receives, wrong)
        end if
        call renew(self, c_exchange_free, wrong)
        call finish(c_alltoallv_bind(comm, it%source, it%unit_bytes * send_counts, &
                                     it%unit_bytes * sends, it%destination, &
                                     it%unit_bytes * receive_counts, it%unit_bytes * receives, &
                                     choices_of(options, kept), self%handle), stat, errmsg)
    end subroutine

    !> All blocks that are not empty must lie in an array of so many units.
    subroutine require_room(units, counts, begins, wrong)
        integer(c_int64_t), intent(in) :: units, counts(:), begins(:)
        character(len=:), allocatable, intent(inout) :: wrong
        integer :: i
        if (allocated(wrong)) return
        do i = 1, size(counts)
            call require(counts(i) == 0 .or. (counts(i) > 0 .and. begins(i) >= 0 .and. &
                                              counts(i) <= units - begins(i)), &
                         decimal(counts(i)) // ' cells or rows from ' // decimal(begins(i) + 1) // &
                         ' on do not lie in an array of ' // decimal(units), wrong)
        end do
    end subroutine

    subroutine exchange_start(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call step(c_exchange_start, self%handle, stat, errmsg)
    end subroutine

    subroutine exchange_wait(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call step(c_exchange_wait, self%handle, stat, errmsg)
    end subroutine

    subroutine exchange_run(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call step(c_exchange_run, self%handle, stat, errmsg)
    end subroutine

    subroutine exchange_start_with(self, fields, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        type(transrank_fields), intent(in) :: fields
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(field), allocatable :: list(:)
        type(array), allocatable, target :: arrays(:)
        character(len=:), allocatable :: wrong
        call add_set(fields, self%arrays, list, arrays, wrong)
        if (refused(wrong, stat, errmsg)) return
        call set_views(list, arrays)
        call finish(c_exchange_start_with(self%handle, size(list), list), stat, errmsg)
    end subroutine

    subroutine exchange_run_with(self, fields, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        type(transrank_fields), intent(in) :: fields
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(field), allocatable :: list(:)
        type(array), allocatable, target :: arrays(:)
        character(len=:), allocatable :: wrong
        call add_set(fields, self%arrays, list, arrays, wrong)
        if (refused(wrong, stat, errmsg)) return
        call set_views(list, arrays)
        call finish(c_exchange_run_with(self%handle, size(list), list), stat, errmsg)
    end subroutine

    subroutine exchange_test(self, done, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        logical, intent(out) :: done
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: over, status
        over = 0
        status = c_exchange_test(self%handle, over)
        done = over /= 0
        call finish(status, stat, errmsg)
    end subroutine

    subroutine exchange_wait_for(self, seconds, done, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        real(real64), intent(in) :: seconds
        logical, intent(out) :: done
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: over, status
        over = 0
        status = c_exchange_wait_for(self%handle, seconds, over)
        done = over /= 0
        call finish(status, stat, errmsg)
    end subroutine

    subroutine exchange_abandon(self, why, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        character(len=*), intent(in) :: why
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_exchange_abandon(self%handle, terminated(why)), stat, errmsg)
    end subroutine

    function exchange_explain(self) result(text)
        class(transrank_exchange), intent(in) :: self
        character(len=:), allocatable :: text
        type(c_ptr) :: shown
        shown = c_null_ptr
        text = ''
        if (c_exchange_explain(self%handle, shown) == transrank_ok) text = text_at(shown)
    end function

end module transrank
