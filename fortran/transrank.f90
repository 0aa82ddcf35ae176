! SPDX-License-Identifier: BSD-3-Clause
!> The library for Fortran 2018, over the one for C, whose header says more of each call.
!>
!> Communicators are integers: `comm` of the module mpi, `comm%MPI_VAL` of mpi_f08. So this module
!> needs neither, and is compiled by the compiler of the program.
!>
!> Cells, rows and global indices count from 1; ranks and the parts of a distribution from 0, as in
!> MPI. The first dimension is the fastest in memory.
!>
!> Each procedure takes `stat` and `errmsg`: `stat` becomes one of the statuses below, `errmsg` the
!> text of an error. Without `stat` an error ends the program by ERROR STOP with that text. Calls
!> with a communicator are collective; what is wrong on one rank is then the same error on all.
!>
!> Objects are freed when they go out of scope, at the latest; `free` does it earlier. They are not
!> to be copied by assignment: of two copies the second that is used after a `free` is refused.
module transrank
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
        c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
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

    ! How arriving data are combined with the destination.
    integer, parameter, public :: transrank_assign = 0
    integer, parameter, public :: transrank_add = 1
    integer, parameter, public :: transrank_min = 2
    integer, parameter, public :: transrank_max = 3

    integer, parameter :: opaque = 0
    integer, parameter :: first_fastest = 1
    integer, parameter :: most_dimensions = 6

    !> Cells that surround a block in one dimension, in the local array only.
    type, bind(c), public :: transrank_halo
        integer(c_int64_t) :: low = 0
        integer(c_int64_t) :: high = 0
        !> Not 0: the cells beyond one end of the grid are those at the other end.
        integer(c_int) :: periodic = 0
    end type

    !> Which part owns which indices of one dimension.
    type, public :: transrank_distribution
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        !> Ranges whose lengths differ by at most one, the longer ones first.
        procedure :: even => distribution_even
        !> lengths(p + 1) indices for part p.
        procedure :: irregular => distribution_irregular
        !> Blocks dealt out in turn, as ScaLAPACK does; of one index: cyclic.
        procedure :: block_cyclic => distribution_block_cyclic
        procedure :: free => distribution_free
        final :: distribution_end
    end type

    !> How the cells of a grid lie on the ranks: as blocks, or as a list on each rank.
    type, public :: transrank_layout
        private
        type(c_ptr) :: handle = c_null_ptr
        integer :: dimensions = 0
    contains
        !> One distribution for each dimension, and the halo of each. Part p lies on rank p; of two
        !> dimensions with m and n parts, part p has the coordinates mod(p, m) and p / m.
        procedure :: grid => layout_grid
        !> Cells that this rank keeps in any order, numbered from 1 in array element order.
        procedure :: points => layout_points
        !> The cells that a rank owns of a grid: first(d) to last(d) in each dimension d; none where
        !> last(d) < first(d).
        procedure :: box => layout_box
        !> The shape of a rank's local array, halo included.
        procedure :: local_shape => layout_local_shape
        procedure :: free => layout_free
        final :: layout_end
    end type

    !> The rows of all ranks numbered through, in the order of the ranks.
    type, public :: transrank_numbering
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        !> Collective. `owned` is this rank's number of rows.
        procedure :: create => numbering_create
        !> This rank's rows are first to last, of `all`.
        procedure :: range => numbering_range
        procedure :: free => numbering_free
        final :: numbering_end
    end type

    !> What moves between whom.
    type, public :: transrank_route
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        !> Collective. From the owned cells to the halo cells of one and the same local array.
        !> `corners`, unless it is false: those beyond two faces or more, too.
        procedure :: halo => route_halo
        !> Collective. From one layout of a grid to another one. With `fill_halo` halo cells are
        !> filled, too.
        procedure :: redistribution => route_redistribution
        !> Collective. Fetches rows by their global indices: ghosts(i) arrives at row first + i - 1
        !> of a destination of `rows` rows. Left out: in an array of the ghosts alone.
        procedure :: ghost_pull => route_ghost_pull
        !> The way back of another route: what was received is sent and the other way round.
        procedure :: transposed => route_transposed
        !> Collective. Each rank writes a file into the folder `place`, and reads it again.
        procedure :: save => route_save
        procedure :: load => route_load
        procedure :: free => route_free
        final :: route_end
    end type

    type, bind(c) :: field
        type(c_ptr) :: source = c_null_ptr
        integer(c_int64_t) :: source_bytes = 0
        type(c_ptr) :: destination = c_null_ptr
        integer(c_int64_t) :: destination_bytes = 0
        integer(c_int64_t) :: unit_bytes = 0
        integer(c_int) :: scalar = opaque
    end type

    !> The arrays that an exchange moves.
    type, public :: transrank_fields
        private
        type(field), allocatable :: list(:)
        logical :: refused = .false.
    contains
        !> Adds a source and a destination, which may be the same array: contiguous ones of any rank
        !> and equal kind, with the attribute TARGET or POINTER. `values`, if it is not 1, is the
        !> number of elements of each cell or row, which are next to each other.
        generic :: add => add_int8, add_int16, add_int32, add_int64, add_real32, add_real64
        procedure, private :: add_int8, add_int16, add_int32, add_int64, add_real32, add_real64
        procedure, private :: add_any => fields_add_any
    end type

    type, bind(c) :: exchange_options
        integer(c_int) :: operation = transrank_assign
        type(c_ptr) :: transport = c_null_ptr
        integer(c_int64_t) :: longest_message_bytes = 0
    end type

    !> A route bound to arrays, or an alltoall: moved again and again. From start until the end of
    !> wait the sources must not change and the destinations are undefined.
    type, public :: transrank_exchange
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        !> Collective. All fields go in one message.
        procedure :: bind => exchange_bind
        !> Collective. A block of `values` elements, see transrank_fields, for each of `ranks` ranks.
        procedure :: bind_alltoall => exchange_bind_alltoall
        procedure :: start => exchange_start
        procedure :: test => exchange_test
        procedure :: wait => exchange_wait
        procedure :: run => exchange_run
        !> Peers, bytes and transports: a text table.
        procedure :: explain => exchange_explain
        procedure :: free => exchange_free
        final :: exchange_end
    end type

    !> Memory that other processes of this node can map, where the system allows it. Pointers of any
    !> rank and kind are made of it by c_f_pointer(memory%address, a, [m, n]).
    type, public :: transrank_memory
        type(c_ptr) :: address = c_null_ptr
    contains
        !> Zeroed.
        procedure :: allocate => memory_allocate
        !> What is bound to the memory keeps it.
        procedure :: free => memory_free
        final :: memory_end
    end type

    type, bind(c) :: grid_options
        integer(c_int) :: part_order = first_fastest
        type(c_ptr) :: memory_order = c_null_ptr
        type(c_ptr) :: halo = c_null_ptr
        type(c_ptr) :: ranks = c_null_ptr
    end type

    interface
        function c_error_text() bind(c, name='transrank_error_text') result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        function c_strlen(text) bind(c, name='strlen') result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
        function c_shared_alloc(bytes, memory) bind(c, name='transrank_shared_alloc') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: bytes
            type(c_ptr), intent(inout) :: memory
            integer(c_int) :: status
        end function
        function c_shared_free(memory) bind(c, name='transrank_shared_free') result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: memory
            integer(c_int) :: status
        end function
        function c_even(extent, parts, made) bind(c, name='transrank_distribution_even') &
                result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: extent
            integer(c_int), value :: parts
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_irregular(parts, boundaries, made) &
                bind(c, name='transrank_distribution_irregular') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int), value :: parts
            integer(c_int64_t), intent(in) :: boundaries(*)
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_block_cyclic(extent, parts, block, first_part, made) &
                bind(c, name='transrank_distribution_block_cyclic') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: extent, block
            integer(c_int), value :: parts, first_part
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_distribution_free(handle) bind(c, name='transrank_distribution_free') &
                result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
        function c_grid(dimensions, distributions, options, made) &
                bind(c, name='transrank_layout_grid') result(status)
            import :: c_int, c_ptr, grid_options
            integer(c_int), value :: dimensions
            type(c_ptr), intent(in) :: distributions(*)
            type(grid_options), intent(in) :: options
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_points(count, cells, numbering, made) bind(c, name='transrank_layout_points') &
                result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: cells(*)
            integer(c_int), value :: numbering
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_box(layout, rank, begin, end) bind(c, name='transrank_layout_box') result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), intent(out) :: begin(*), end(*)
            integer(c_int) :: status
        end function
        function c_local(layout, rank, extents, strides, units) &
                bind(c, name='transrank_layout_local') result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: rank
            integer(c_int64_t), intent(out) :: extents(*)
            type(c_ptr), value :: strides, units
            integer(c_int) :: status
        end function
        function c_layout_free(handle) bind(c, name='transrank_layout_free') result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
        function c_numbering(comm, owned, table, made) &
                bind(c, name='transrank_numbering_create_f') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int), value :: comm
            integer(c_int64_t), value :: owned
            integer(c_int), value :: table
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_numbering_range(numbering, begin, end, extent) &
                bind(c, name='transrank_numbering_range') result(status)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: numbering
            integer(c_int64_t), intent(out) :: begin, end, extent
            integer(c_int) :: status
        end function
        function c_numbering_free(handle) bind(c, name='transrank_numbering_free') result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
        function c_halo(comm, grid, corners, made) bind(c, name='transrank_route_halo_f') &
                result(status)
            import :: c_int, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), value :: grid
            integer(c_int), value :: corners
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_redistribution(comm, source, destination, coverage, made) &
                bind(c, name='transrank_route_redistribution_f') result(status)
            import :: c_int, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), value :: source, destination
            integer(c_int), value :: coverage
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_ghost_pull(comm, numbering, count, ghosts, begin, extent, made) &
                bind(c, name='transrank_route_ghost_pull_f') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), value :: numbering
            integer(c_int64_t), value :: count, begin, extent
            integer(c_int64_t), intent(in) :: ghosts(*)
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_transposed(route, back) bind(c, name='transrank_route_transposed') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: route
            type(c_ptr), intent(inout) :: back
            integer(c_int) :: status
        end function
        function c_save(comm, route, place) bind(c, name='transrank_route_save_f') result(status)
            import :: c_char, c_int, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), value :: route
            character(kind=c_char), intent(in) :: place(*)
            integer(c_int) :: status
        end function
        function c_load(comm, place, made) bind(c, name='transrank_route_load_f') result(status)
            import :: c_char, c_int, c_ptr
            integer(c_int), value :: comm
            character(kind=c_char), intent(in) :: place(*)
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_route_free(handle) bind(c, name='transrank_route_free') result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
        function c_bind(comm, route, count, fields, options, made) &
                bind(c, name='transrank_exchange_bind_f') result(status)
            import :: c_int, c_ptr, exchange_options, field
            integer(c_int), value :: comm
            type(c_ptr), value :: route
            integer(c_int), value :: count
            type(field), intent(in) :: fields(*)
            type(exchange_options), intent(in) :: options
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_alltoall(comm, send, receive, block_bytes, options, made) &
                bind(c, name='transrank_alltoall_bind_f') result(status)
            import :: c_int, c_int64_t, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), value :: send, receive, options
            integer(c_int64_t), value :: block_bytes
            type(c_ptr), intent(inout) :: made
            integer(c_int) :: status
        end function
        function c_start(exchange) bind(c, name='transrank_exchange_start') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int) :: status
        end function
        function c_test(exchange, done) bind(c, name='transrank_exchange_test') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int), intent(inout) :: done
            integer(c_int) :: status
        end function
        function c_wait(exchange) bind(c, name='transrank_exchange_wait') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int) :: status
        end function
        function c_run(exchange) bind(c, name='transrank_exchange_run') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int) :: status
        end function
        function c_explain(exchange, text) bind(c, name='transrank_exchange_explain') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            type(c_ptr), intent(inout) :: text
            integer(c_int) :: status
        end function
        function c_exchange_free(handle) bind(c, name='transrank_exchange_free') result(status)
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: handle
            integer(c_int) :: status
        end function
    end interface

contains

    ! Errors.

    function text_at(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i
        call c_f_pointer(address, letters, [c_strlen(address)])
        allocate (character(len=size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function

    !> What a call has come to; `words` in place of the library's own.
    subroutine finish(status, stat, errmsg, words)
        integer(c_int), intent(in) :: status
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        character(len=*), intent(in), optional :: words
        character(len=:), allocatable :: text
        if (present(stat)) stat = status
        if (status == transrank_ok) return
        if (present(words)) then
            text = words
        else
            text = text_at(c_error_text())
        end if
        if (present(errmsg)) errmsg = text
        if (.not. present(stat)) error stop text
    end subroutine

    ! Memory.

    subroutine memory_allocate(self, bytes, stat, errmsg)
        class(transrank_memory), intent(inout) :: self
        integer(int64), intent(in) :: bytes
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        status = c_shared_free(self%address)
        if (status == transrank_ok) status = c_shared_alloc(bytes, self%address)
        call finish(status, stat, errmsg)
    end subroutine

    subroutine memory_free(self, stat, errmsg)
        class(transrank_memory), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_shared_free(self%address), stat, errmsg)
    end subroutine

    impure elemental subroutine memory_end(self)
        type(transrank_memory), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_shared_free(self%address)
    end subroutine

    ! Distributions. What an object was before is freed where it becomes something else.

    subroutine distribution_even(self, extent, parts, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: extent, parts
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%free()
        call finish(c_even(int(extent, c_int64_t), parts, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_irregular(self, lengths, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: lengths(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: boundaries(size(lengths) + 1)
        integer :: part
        boundaries(1) = 0
        do part = 1, size(lengths)
            boundaries(part + 1) = boundaries(part) + lengths(part)
        end do
        call self%free()
        call finish(c_irregular(size(lengths), boundaries, self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_block_cyclic(self, extent, parts, block, first_part, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(in) :: extent, parts, block
        integer, intent(in), optional :: first_part
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer :: first
        first = 0
        if (present(first_part)) first = first_part
        call self%free()
        call finish(c_block_cyclic(int(extent, c_int64_t), parts, int(block, c_int64_t), first, &
                                   self%handle), stat, errmsg)
    end subroutine

    subroutine distribution_free(self, stat, errmsg)
        class(transrank_distribution), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_distribution_free(self%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine distribution_end(self)
        type(transrank_distribution), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_distribution_free(self%handle)
    end subroutine

    ! Layouts.

    subroutine layout_grid(self, distributions, halo, stat, errmsg)
        class(transrank_layout), intent(inout) :: self
        type(transrank_distribution), intent(in) :: distributions(:)
        type(transrank_halo), intent(in), target, optional :: halo(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(grid_options) :: options
        type(c_ptr) :: handles(size(distributions))
        integer(c_int), target :: memory_order(most_dimensions)
        type(transrank_halo), target :: around(most_dimensions)
        integer :: d
        call self%free()
        self%dimensions = size(distributions)
        if (present(halo)) then
            if (size(halo) /= size(distributions) .or. size(halo) > most_dimensions) then
                call finish(transrank_error_argument, stat, errmsg, &
                            'a grid needs one halo for each dimension, or none at all')
                return
            end if
            around(:size(halo)) = halo
            options%halo = c_loc(around)
        end if
        handles = [(distributions(d)%handle, d=1, size(distributions))]
        memory_order = [(d, d=0, most_dimensions - 1)]
        options%memory_order = c_loc(memory_order)
        call finish(c_grid(size(distributions), handles, options, self%handle), stat, errmsg)
    end subroutine

    subroutine layout_points(self, cells, stat, errmsg)
        class(transrank_layout), intent(inout) :: self
        integer(int64), intent(in) :: cells(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t), allocatable :: from_zero(:)
        allocate (from_zero(size(cells)), source=cells - 1)
        call self%free()
        self%dimensions = 0
        call finish(c_points(size(cells, kind=c_int64_t), from_zero, first_fastest, self%handle), &
                    stat, errmsg)
    end subroutine

    subroutine layout_box(self, rank, first, last, stat, errmsg)
        class(transrank_layout), intent(in) :: self
        integer, intent(in) :: rank
        integer(int64), intent(out) :: first(:), last(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: begins(most_dimensions), ends(most_dimensions)
        integer(c_int) :: status
        if (size(first) /= self%dimensions .or. size(last) /= self%dimensions) then
            call finish(transrank_error_argument, stat, errmsg, &
                        'first and last need one element for each dimension of a grid')
            return
        end if
        status = c_box(self%handle, rank, begins, ends)
        if (status == transrank_ok) then
            first = begins(:size(first)) + 1
            last = ends(:size(last))
        end if
        call finish(status, stat, errmsg)
    end subroutine

    subroutine layout_local_shape(self, rank, lengths, stat, errmsg)
        class(transrank_layout), intent(in) :: self
        integer, intent(in) :: rank
        integer(int64), intent(out) :: lengths(:)
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: extents(most_dimensions)
        integer(c_int) :: status
        if (size(lengths) /= self%dimensions) then
            call finish(transrank_error_argument, stat, errmsg, &
                        'the shape needs one element for each dimension of a grid')
            return
        end if
        status = c_local(self%handle, rank, extents, c_null_ptr, c_null_ptr)
        if (status == transrank_ok) lengths = extents(:size(lengths))
        call finish(status, stat, errmsg)
    end subroutine

    subroutine layout_free(self, stat, errmsg)
        class(transrank_layout), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_layout_free(self%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine layout_end(self)
        type(transrank_layout), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_layout_free(self%handle)
    end subroutine

    ! Numberings.

    subroutine numbering_create(self, comm, owned, stat, errmsg)
        class(transrank_numbering), intent(inout) :: self
        integer, intent(in) :: comm
        integer, intent(in) :: owned
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: ignored
        ignored = c_numbering_free(self%handle)
        call finish(c_numbering(comm, int(owned, c_int64_t), 0, self%handle), stat, errmsg)
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

    subroutine numbering_free(self, stat, errmsg)
        class(transrank_numbering), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_numbering_free(self%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine numbering_end(self)
        type(transrank_numbering), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_numbering_free(self%handle)
    end subroutine

    ! Routes. Where they are made together, what an object was before goes without a word: all ranks
    ! come to the collective call.

    subroutine route_halo(self, comm, grid, corners, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_layout), intent(in) :: grid
        logical, intent(in), optional :: corners
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: ignored, left_out
        left_out = 0
        if (present(corners)) left_out = merge(0, 1, corners)
        ignored = c_route_free(self%handle)
        call finish(c_halo(comm, grid%handle, left_out, self%handle), stat, errmsg)
    end subroutine

    subroutine route_redistribution(self, comm, source, destination, fill_halo, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_layout), intent(in) :: source, destination
        logical, intent(in), optional :: fill_halo
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: ignored, coverage
        coverage = 0
        if (present(fill_halo)) coverage = merge(1, 0, fill_halo)
        ignored = c_route_free(self%handle)
        call finish(c_redistribution(comm, source%handle, destination%handle, coverage, &
                                     self%handle), stat, errmsg)
    end subroutine

    subroutine route_ghost_pull(self, comm, numbering, ghosts, first, rows, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_numbering), intent(in) :: numbering
        integer(int64), intent(in) :: ghosts(:)
        integer(int64), intent(in), optional :: first, rows
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t), allocatable :: from_zero(:)
        integer(c_int64_t) :: begin, extent
        integer(c_int) :: ignored
        allocate (from_zero(size(ghosts)), source=ghosts - 1)
        begin = 0
        if (present(first)) begin = first - 1
        extent = begin + size(ghosts, kind=c_int64_t)
        if (present(rows)) extent = rows
        ignored = c_route_free(self%handle)
        call finish(c_ghost_pull(comm, numbering%handle, size(ghosts, kind=c_int64_t), from_zero, &
                                 begin, extent, self%handle), stat, errmsg)
    end subroutine

    subroutine route_transposed(self, route, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        type(transrank_route), intent(in) :: route
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%free()
        call finish(c_transposed(route%handle, self%handle), stat, errmsg)
    end subroutine

    subroutine route_save(self, comm, place, stat, errmsg)
        class(transrank_route), intent(in) :: self
        integer, intent(in) :: comm
        character(len=*), intent(in) :: place
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_save(comm, self%handle, trim(place) // c_null_char), stat, errmsg)
    end subroutine

    subroutine route_load(self, comm, place, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(in) :: comm
        character(len=*), intent(in) :: place
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: ignored
        ignored = c_route_free(self%handle)
        call finish(c_load(comm, trim(place) // c_null_char, self%handle), stat, errmsg)
    end subroutine

    subroutine route_free(self, stat, errmsg)
        class(transrank_route), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_route_free(self%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine route_end(self)
        type(transrank_route), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_route_free(self%handle)
    end subroutine

    ! Fields: the compiler chooses by kind, and refuses two arrays of different ones.

    subroutine add_int8(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int8), intent(in), target :: source(..)
        integer(int8), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 1, 1, values, stat, errmsg)
    end subroutine

    subroutine add_int16(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int16), intent(in), target :: source(..)
        integer(int16), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 2, 2, values, stat, errmsg)
    end subroutine

    subroutine add_int32(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int32), intent(in), target :: source(..)
        integer(int32), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 4, 3, values, stat, errmsg)
    end subroutine

    subroutine add_int64(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        integer(int64), intent(in), target :: source(..)
        integer(int64), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 8, 4, values, stat, errmsg)
    end subroutine

    subroutine add_real32(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        real(real32), intent(in), target :: source(..)
        real(real32), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 4, 9, values, stat, errmsg)
    end subroutine

    subroutine add_real64(self, source, destination, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        real(real64), intent(in), target :: source(..)
        real(real64), intent(inout), target :: destination(..)
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call self%add_any(source, destination, 8, 10, values, stat, errmsg)
    end subroutine

    subroutine fields_add_any(self, source, destination, bytes, scalar, values, stat, errmsg)
        class(transrank_fields), intent(inout) :: self
        type(*), intent(in), target :: source(..)
        type(*), intent(inout), target :: destination(..)
        integer, intent(in) :: bytes, scalar
        integer, intent(in), optional :: values
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: in_unit, sizes(2)
        character(len=:), allocatable :: wrong
        in_unit = 1
        if (present(values)) in_unit = values
        sizes = [size(source, kind=c_int64_t), size(destination, kind=c_int64_t)]
        if (in_unit < 1) then
            wrong = 'a cell of ' // decimal(in_unit) // ' values; give 1 or more'
        else if (.not. (is_contiguous(source) .and. is_contiguous(destination))) then
            wrong = 'an array of a field is not contiguous; give a whole array, or one that is'
        else if (any(mod(sizes, in_unit) /= 0)) then
            wrong = 'a field has ' // decimal(sizes(1)) // ' elements to send from and ' // &
                decimal(sizes(2)) // ' to receive into, which are no multiples of the ' // &
                decimal(in_unit) // ' values of a cell'
        end if
        if (allocated(wrong)) then
            self%refused = .true.
            call finish(transrank_error_argument, stat, errmsg, wrong)
            return
        end if
        if (.not. allocated(self%list)) allocate (self%list(0))
        self%list = [self%list, field(c_loc(source), bytes * sizes(1), c_loc(destination), &
                                      bytes * sizes(2), bytes * in_unit, scalar)]
        call finish(transrank_ok, stat, errmsg)
    end subroutine

    function decimal(number) result(text)
        integer(c_int64_t), intent(in) :: number
        character(len=:), allocatable :: text
        character(len=24) :: digits
        write (digits, '(i0)') number
        text = trim(digits)
    end function

    ! Exchanges.

    !> How many fields there are; what the library refuses on all ranks when one was refused here.
    function count_of(fields) result(count)
        type(transrank_fields), intent(in) :: fields
        integer(c_int) :: count
        count = 0
        if (allocated(fields%list)) count = size(fields%list)
        if (fields%refused) count = -1
    end function

    subroutine exchange_bind(self, comm, route, fields, operation, transport, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        type(transrank_route), intent(in) :: route
        type(transrank_fields), intent(in) :: fields
        integer, intent(in), optional :: operation
        character(len=*), intent(in), optional :: transport
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(exchange_options) :: options
        type(field), allocatable :: list(:)
        character(kind=c_char, len=:), allocatable, target :: name
        integer(c_int) :: ignored
        if (present(operation)) options%operation = operation
        if (present(transport)) then
            name = trim(transport) // c_null_char
            options%transport = c_loc(name)
        end if
        allocate (list(max(1, count_of(fields))))
        if (allocated(fields%list)) list(:size(fields%list)) = fields%list
        ignored = c_exchange_free(self%handle)
        call finish(c_bind(comm, route%handle, count_of(fields), list, options, self%handle), stat, &
                    errmsg)
    end subroutine

    subroutine exchange_bind_alltoall(self, comm, ranks, fields, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(in) :: comm
        integer, intent(in) :: ranks
        type(transrank_fields), intent(in) :: fields
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        type(field) :: only
        integer(c_int) :: ignored
        only%unit_bytes = -1
        if (count_of(fields) == 1) then
            only = fields%list(1)
            if (min(only%source_bytes, only%destination_bytes) < ranks * only%unit_bytes) then
                only%unit_bytes = -1
            end if
        end if
        ignored = c_exchange_free(self%handle)
        call finish(c_alltoall(comm, only%source, only%destination, only%unit_bytes, c_null_ptr, &
                               self%handle), stat, errmsg)
    end subroutine

    subroutine exchange_start(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_start(self%handle), stat, errmsg)
    end subroutine

    subroutine exchange_test(self, done, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        logical, intent(out) :: done
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int) :: over, status
        over = 0
        status = c_test(self%handle, over)
        done = over /= 0
        call finish(status, stat, errmsg)
    end subroutine

    subroutine exchange_wait(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_wait(self%handle), stat, errmsg)
    end subroutine

    subroutine exchange_run(self, stat, errmsg)
        class(transrank_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_run(self%handle), stat, errmsg)
    end subroutine

    function exchange_explain(self) result(text)
        class(transrank_exchange), intent(in) :: self
        character(len=:), allocatable :: text
        type(c_ptr) :: shown
        shown = c_null_ptr
        text = ''
        if (c_explain(self%handle, shown) == transrank_ok) text = text_at(shown)
    end function

    subroutine exchange_free(self, stat, errmsg)
        class(transrank_exchange), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(len=*), intent(inout), optional :: errmsg
        call finish(c_exchange_free(self%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine exchange_end(self)
        type(transrank_exchange), intent(inout) :: self
        integer(c_int) :: ignored
        ignored = c_exchange_free(self%handle)
    end subroutine

end module transrank
