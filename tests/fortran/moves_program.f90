! SPDX-License-Identifier: BSD-3-Clause
! Moves through the Fortran module that tests/support/moves.py has drawn, each with what must come of
! it: moves_program FOLDER, which has a file of numbers for each rank.
program moves_program
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Finalize
    use testing, only: begin, check, comm, rank, trial
    use transrank
    implicit none (type, external)
    type :: array
        integer(int64), pointer, contiguous :: at(:)
        type(transrank_memory) :: memory
    end type
    !> Columns of values, so many elements of `whole` from one to the next, or backwards.
    type :: section
        integer(int64), pointer, contiguous :: whole(:, :)
        integer(int64), pointer :: at(:, :)
        type(transrank_memory) :: memory
    end type
    integer(int64), parameter :: gap = -77
    character(len=1000) :: folder
    character(len=8) :: digits
    integer :: unit, kind

    call begin()
    call get_command_argument(1, folder)
    write (digits, '(i0)') rank
    open (newunit=unit, file=trim(folder) // '/rank-' // trim(digits) // '.moves', status='old', &
          action='read')
    do
        kind = next()
        if (kind < 0) exit
        trial = trial + 1
        if (kind == 0) call update_ghosts()
        if (kind == 1) call move_cells()
        if (kind == 2) call exchange_blocks()
    end do
    call check(index(transrank_version(), '.') > 0, 'a version')
    call MPI_Finalize()

contains

    integer function next()
        read (unit, *) next
    end function

    function list() result(numbers)
        integer(int64), allocatable :: numbers(:)
        allocate (numbers(next()))
        if (size(numbers) > 0) read (unit, *) numbers
    end function

    !> In either kind of memory, as they may be mixed.
    subroutine make(made, numbers, shared)
        type(array), intent(inout) :: made
        integer(int64), intent(in) :: numbers(:)
        integer, intent(in) :: shared
        if (shared == 1) then
            call made%memory%allocate(8_int64 * size(numbers))
            call c_f_pointer(made%memory%address, made%at, [size(numbers)])
        else
            allocate (made%at(size(numbers)))
        end if
        made%at = numbers
    end subroutine

    subroutine make_section(made, numbers, length, strides, shared)
        type(section), intent(inout) :: made
        integer(int64), intent(in) :: numbers(:)
        integer, intent(in) :: length, strides(2), shared
        integer :: lengths(2), first(2), last(2)
        lengths = abs(strides) * [length, size(numbers) / length]
        if (shared == 1) then
            call made%memory%allocate(8_int64 * product(lengths))
            call c_f_pointer(made%memory%address, made%whole, lengths)
        else
            allocate (made%whole(lengths(1), lengths(2)))
        end if
        first = merge(1, lengths, strides > 0)
        last = merge(lengths, 1, strides > 0)
        made%whole = gap
        made%at => made%whole(first(1):last(1):strides(1), first(2):last(2):strides(2))
        made%at = reshape(numbers, shape(made%at))
    end subroutine

    subroutine expect(found, what)
        integer(int64), intent(in) :: found(:)
        character(len=*), intent(in) :: what
        integer(int64), allocatable :: expected(:)
        expected = list()
        call check(size(found) == size(expected), 'how many ' // what)
        call check(all(found == expected), what)
    end subroutine

    !> With these fields, or the first ones that are bound.
    subroutine move(exchange, how, fields)
        type(transrank_exchange), intent(in) :: exchange
        integer, intent(in) :: how
        type(transrank_fields), intent(in), optional :: fields
        logical :: done
        if (present(fields)) then
            if (how == 0) call exchange%run_with(fields)
            if (how > 0) call exchange%start_with(fields)
        else
            if (how == 0) call exchange%run()
            if (how > 0) call exchange%start()
        end if
        if (how == 1) call exchange%wait()
        done = how < 2
        do while (.not. done)
            if (how == 2) call exchange%test(done)
            if (how == 3) call exchange%wait_for(0.01_real64, done)
        end do
    end subroutine

    subroutine check_numbering(numbering)
        type(transrank_numbering), intent(in) :: numbering
        integer(int64) :: first, last, all_rows, row, index
        integer(int64), allocatable :: owners(:), places(:)
        integer :: i, owner
        call numbering%range(first, last, all_rows)
        call expect([first - 1, last, all_rows], 'own rows, and all')
        owners = list()
        places = list()
        do i = 1, size(owners)
            call numbering%place(int(i, int64), owner, row)
            call check(owner == owners(i) .and. row == places(i) + 1, 'the place of a row')
            call numbering%index(owner, row, index)
            call check(index == i, 'its index')
        end do
    end subroutine

    subroutine update_ghosts()
        integer, parameter :: by_pulling = 0, by_pushing = 1, along = 2, by_route = 4
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route, back
        type(transrank_fields) :: rows, again
        type(transrank_ghost_update) :: other, update
        type(transrank_exchange) :: pull, push
        type(array) :: own, ghost
        integer(int64), allocatable :: offsets(:), ghosts(:), pushed(:), values(:), begins(:), &
                                       expected(:), copies(:), added(:), indices(:)
        integer(int64), pointer, contiguous :: data(:)
        integer, allocatable :: targets(:)
        type(c_ptr) :: address
        integer :: way, how, shared, length, i
        way = next()
        how = next()
        shared = next()
        length = next()
        offsets = list()
        ghosts = list() + 1
        pushed = list() + 1
        targets = int(list())
        call numbering%create(comm, size(offsets) - 1, table=.true.)
        call check_numbering(numbering)
        if (way == by_pushing) then
            call route%ghost_push(comm, numbering, pushed, targets)
        else if (way == by_route) then
            call route%ghost_pull(comm, numbering, ghosts, &
                                  places=[(int(i, int64), i=1, size(ghosts))])
        else
            call route%ghost_pull(comm, numbering, ghosts)
        end if
        call route%ghosts(indices)
        call expect(indices - 1, 'ghosts of a route')
        values = list()
        expected = list()
        copies = list()
        added = list()
        call make(own, values, shared)
        call make(ghost, added, shared)
        data => ghost%at
        if (way == by_route) then
            call back%transposed(route)
            call rows%add(own%at, ghost%at)
            call again%add(ghost%at, own%at)
            call pull%bind(comm, route, rows)
            call push%bind(comm, back, again, operation=transrank_add)
            call move(pull, how)
        else
            if (length > 0) then
                call rows%add(own%at, own%at, values=length)
            else
                call rows%add(own%at, own%at)
            end if
            offsets = offsets + 1
            if (way == by_pushing .and. length > 0) call update%push(comm, rows, pushed, targets)
            if (way == by_pushing .and. length <= 0) &
                call update%push(comm, rows, pushed, targets, offsets)
            if (way == along .and. length > 0) call update%along(comm, rows, route)
            if (way == along .and. length <= 0) call update%along(comm, rows, route, offsets)
            if (way == by_pulling .and. length > 0) call update%pull(comm, rows, ghosts)
            if (way == by_pulling .and. length <= 0) call update%pull(comm, rows, ghosts, offsets)
            if (way == 3 .and. length > 0) then
                call other%pull(comm, rows, ghosts)
                call update%like(comm, rows, other)
            else if (way == 3) then
                call other%pull(comm, rows, ghosts, offsets)
                call update%like(comm, rows, other, offsets)
            end if
            call other%free()
            call pull%bind_ghost_update(comm, update, transrank_pull)
            call push%bind_ghost_update(comm, update, transrank_push, operation=transrank_add)
            call update%ghosts(indices, begins, address)
            call check(all(indices == ghosts), 'indices of ghosts')
            call check(all(begins - 1 == expected), 'where ghosts begin')
            call c_f_pointer(address, data, [begins(size(begins)) - 1])
            call move(pull, how)
            call update%free()  ! what is bound keeps what it needs
        end if
        call check(all(data == copies), 'ghosts')
        data = added
        call move(push, how)
        call expect(own%at, 'sums at the owners')
        own%at = values
        call move(pull, how)
        call check(all(data == copies), 'ghosts once more')
    end subroutine

    subroutine read_distribution(made, halo)
        type(transrank_distribution), intent(inout) :: made
        type(transrank_halo), intent(out) :: halo
        integer(int64), allocatable :: boundaries(:), owners(:), positions(:)
        integer(int64) :: position, count
        integer :: kind, extent, parts, block, first, i, part
        kind = next()
        extent = next()
        parts = next()
        boundaries = list()
        block = next()
        first = next()
        if (kind == 0) call made%even(extent, parts)
        if (kind == 1) call made%irregular(boundaries(2:) - boundaries(:parts))
        if (kind == 2) call made%block_cyclic(extent, parts, block, first)
        owners = list()
        positions = list()
        do i = 1, extent
            call made%owner(int(i, int64), part, position)
            call check(part == owners(i) .and. position == positions(i) + 1, 'owner of an index')
        end do
        owners = list()
        do part = 0, parts - 1
            call made%owned(part, count)
            call check(count == owners(part + 1), 'how many a part owns')
        end do
        halo%low = next()
        halo%high = next()
        halo%periodic = next()
    end subroutine

    subroutine read_layout(made)
        type(transrank_layout), intent(inout) :: made
        type(transrank_distribution) :: along(3)
        type(transrank_halo) :: halo(3)
        integer, allocatable :: order(:), holders(:)
        integer(int64), allocatable :: box(:)
        integer(int64) :: lengths(3), first(3), last(3)
        integer :: dimensions, d
        if (next() == 1) then
            call made%points(list() + 1)
            return
        end if
        dimensions = next()
        do d = 1, dimensions
            call read_distribution(along(d), halo(d))
        end do
        order = int(list()) + 1
        holders = int(list())
        call made%grid(along(:dimensions), halo(:dimensions), order, holders)
        call made%local_shape(rank, lengths(:dimensions))
        call expect(lengths(:dimensions), 'the shape of a local array')
        box = list()
        if (size(box) == 0) return
        call made%box(rank, first(:dimensions), last(:dimensions))
        call check(all([first(:dimensions) - 1, last(:dimensions)] == box), 'a box')
    end subroutine

    subroutine move_cells()
        type(transrank_layout) :: layouts(2)
        type(transrank_route) :: route, there
        integer, parameter :: bound = 0, one_of_sets = 1, any_memory = 2
        type(transrank_fields) :: fields(3)
        type(transrank_exchange) :: exchange
        type(section) :: from(3, 3), to(3, 3), expected(3, 2)
        integer(int64), allocatable :: before(:), after(:)
        integer(int64) :: extents(2)
        integer :: what, how, shared, choice, back, saved, starts, f, length, count, strides(2, 2), i
        logical :: moved(3)
        what = next()
        how = next()
        shared = next()
        choice = next()
        back = next()
        saved = next()
        starts = next()
        call read_layout(layouts(1))
        if (what == 1) then
            call route%halo(comm, layouts(1), corners=choice == 0)
        else
            call read_layout(layouts(2))
            call there%redistribution(comm, layouts(1 + back), layouts(2 - back), choice == 1)
            if (back == 1) call route%transposed(there)
            if (back == 0) route = there
        end if
        if (saved == 1) then
            call route%save(comm, folder)
            call route%load(comm, folder)
        end if
        call route%extents(extents(1), extents(2))
        call expect(extents, 'extents of a route')
        count = next()
        do f = 1, count
            length = next()
            do i = 1, 2
                strides(2, i) = next()
                strides(1, i) = next()
            end do
            before = list()
            after = list()
            call make_section(expected(f, 1), after, length, [1, 1], 0)
            if (what == 1) expected(f, 1)%at = reshape(before, shape(expected(f, 1)%at))
            call make_section(expected(f, 2), list(), length, [1, 1], 0)
            do i = 1, 3
                call make_section(from(f, i), before, length, strides(:, 1), shared)
                call make_section(to(f, i), after, length, strides(:, 2), shared)
                if (what == 1) to(f, i)%at => from(f, i)%at
                if (what == 1) to(f, i)%whole => from(f, i)%whole
                call fields(i)%add(from(f, i)%at, to(f, i)%at, values=length)
            end do
        end do
        moved = .false.
        select case (starts)
        case (bound)
            call exchange%bind(comm, route, fields(1))
            call move(exchange, how)
            moved(1) = .true.
        case (one_of_sets)
            call exchange%bind(comm, route, fields(1), others=fields(2:))
        case (any_memory)
            call exchange%bind(comm, route, fields(1), any_memory=.true.)
        end select
        do i = rank, rank + 1
            if (starts == bound) exit
            call move(exchange, how, fields(1 + mod(i, 3)))
            moved(1 + mod(i, 3)) = .true.
        end do
        do i = 1, 3
            do f = 1, count
                call check(all(to(f, i)%at == expected(f, merge(2, 1, moved(i)))%at), 'cells')
                to(f, i)%at = gap
                call check(all(to(f, i)%whole == gap), 'nothing between cells')
            end do
        end do
    end subroutine

    subroutine exchange_blocks()
        character(len=14), parameter :: algorithms(0:4) = &
            [character(len=14) :: 'auto', 'linear', 'pairwise', 'mpi', 'on-node-direct']
        type(transrank_alltoall_options) :: options
        type(transrank_fields) :: fields, swapped
        type(transrank_exchange) :: exchange
        type(transrank_route) :: route
        type(array) :: send, receive
        integer(int64), allocatable :: sends(:), receives(:), send_first(:), receive_first(:)
        integer :: way, how, shared
        way = next()
        how = next()
        shared = next()
        options%algorithm = trim(algorithms(next()))
        options%any_memory = next() == 1
        sends = list()
        receives = list()
        send_first = list() + 1
        receive_first = list() + 1
        call make(send, list(), shared)
        call make(receive, list(), shared)
        if (way < 2) call fields%add(send%at, receive%at, values=int(sends(1)))
        if (way < 2) call swapped%add(receive%at, send%at, values=int(sends(1)))
        if (way >= 2) call fields%add(send%at, receive%at)
        select case (way)
        case (0)
            if (options%any_memory) call exchange%bind_alltoall(comm, swapped, options)
            if (.not. options%any_memory) call exchange%bind_alltoall(comm, fields, options)
        case (1)
            call transrank_alltoall(comm, fields, options)
        case (2)
            call exchange%bind_alltoallv(comm, fields, sends, receives, send_first, receive_first, &
                                         options)
        case default
            call route%alltoallv(comm, sends, receives, send_first, receive_first)
            call exchange%bind(comm, route, fields)
        end select
        if (options%any_memory) then
            call move(exchange, how, fields)
        else if (way /= 1) then
            call move(exchange, how)
        end if
        call expect(receive%at, 'blocks')
    end subroutine

end program moves_program
