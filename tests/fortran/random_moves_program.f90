! SPDX-License-Identifier: BSD-3-Clause
! Random moves through the Fortran module, held against a serial oracle.
! random_moves_program SEED TRIALS FOLDER
program random_moves_program
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
    use mpi_f08, only: MPI_Finalize
    use testing, only: argument, begin, check, comm, drawn, rank, ranks, trial
    use transrank
    implicit none (type, external)
    character(len=1000) :: folder

    call begin(argument(1))
    call get_command_argument(3, folder)
    do trial = 1, argument(2)
        call redistribute()
        call gather_and_add()
        call exchange_blocks()
        call update_ghosts()
        call look_up()
    end do
    call check(index(transrank_version(), '.') > 0, 'a version')
    call MPI_Finalize()

contains

    !> Where the indices of one dimension lie: the owner of each.
    function draw_owners(extent, along, parts) result(owners)
        integer, intent(in) :: extent, parts
        type(transrank_distribution), intent(inout) :: along
        integer :: owners(extent), lengths(parts), p, i, block
        block = drawn(1, 3)
        if (drawn(0, 1) == 0) then
            call along%block_cyclic(extent, parts, block)
            owners = [(mod((i - 1) / block, parts), i=1, extent)]
            return
        end if
        lengths = 0
        do i = 1, extent
            p = drawn(1, parts)
            lengths(p) = lengths(p) + 1
        end do
        call along%irregular(lengths)
        i = 0
        do p = 1, parts
            owners(i + 1:i + lengths(p)) = p - 1
            i = i + lengths(p)
        end do
    end function

    subroutine redistribute()
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: layouts(2)
        type(transrank_route) :: route, back
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        integer :: extents(2), parts(2), side, d, values, i, j, k
        integer, allocatable :: of_rows(:), of_columns(:)
        integer(int32), allocatable, target :: from(:, :), to(:, :)
        integer(int32), allocatable :: expected(:, :)
        integer(int64), allocatable :: cells(:)
        extents = [drawn(4, 9), drawn(4, 9)]  ! no fewer than ranks
        values = drawn(1, 3)
        do side = 1, 2
            d = drawn(1, 2)
            parts = 1
            parts(d) = ranks
            of_rows = draw_owners(extents(1), along(1), parts(1))
            of_columns = draw_owners(extents(2), along(2), parts(2))
            ! The cells that this rank owns, in the order of its local array.
            cells = [integer(int64) ::]
            do j = 1, extents(2)
                do i = 1, extents(1)
                    if (of_rows(i) + of_columns(j) == rank) then
                        cells = [cells, int(i + (j - 1) * extents(1), int64)]
                    end if
                end do
            end do
            if (drawn(0, 3) == 0) then
                call layouts(side)%points(cells)
            else
                call layouts(side)%grid(along)
            end if
            allocate (expected(values, size(cells)))
            do i = 1, size(cells)
                expected(:, i) = [(int(cells(i)) * 10 + k, k=1, values)]
            end do
            if (side == 1) call move_alloc(expected, from)
        end do
        allocate (to(values, size(expected, 2)), source=-1)
        if (drawn(0, 1) == 0) then
            call route%redistribution(comm, layouts(1), layouts(2))
        else
            call back%redistribution(comm, layouts(2), layouts(1))
            call route%transposed(back)
        end if
        if (drawn(0, 3) == 0) then
            call route%save(comm, folder)
            call route%load(comm, folder)
        end if
        call fields%add(from, to, values=values)
        call exchange%bind(comm, route, fields)
        call exchange%run()
        call check(all(to == expected), 'a redistribution brings the values of each cell')
    end subroutine

    subroutine gather_and_add()
        type(transrank_numbering) :: numbering
        type(transrank_route) :: pull, push
        type(transrank_fields) :: down, up
        type(transrank_exchange) :: gather, scatter
        type(transrank_memory) :: memory
        integer :: owned(0:ranks - 1), counts(0:ranks - 1), r, i, all_rows
        integer(int64) :: first, last, wanted(8, 0:ranks - 1), total
        real(real64), pointer, contiguous :: rows(:)
        real(real64), allocatable, target :: copies(:)
        real(real64), allocatable :: expected(:)
        logical :: done
        owned = [(drawn(1, 6), r=1, ranks)]
        all_rows = sum(owned)
        do r = 0, ranks - 1
            counts(r) = drawn(0, 8)
            wanted(:, r) = [(int(drawn(1, all_rows), int64), i=1, 8)]
        end do
        call numbering%create(comm, owned(rank))
        call numbering%range(first, last, total)
        call check(first == sum(owned(:rank - 1)) + 1 .and. last == sum(owned(:rank)), 'own rows')
        call check(total == all_rows, 'all rows')
        call memory%allocate(8_int64 * owned(rank))
        call c_f_pointer(memory%address, rows, [owned(rank)])
        allocate (copies(counts(rank)), source=0.0_real64)
        call pull%ghost_pull(comm, numbering, wanted(:counts(rank), rank))
        call push%transposed(pull)
        call down%add(rows, copies)
        call up%add(copies, rows)
        call gather%bind(comm, pull, down)
        call scatter%bind(comm, push, up, operation=transrank_add)
        expected = [(real(10 * i, real64), i=int(first), int(last))]
        rows = expected
        call gather%start()
        done = .false.
        do while (.not. done)
            call gather%test(done)
        end do
        call check(all(nint(copies) == 10 * wanted(:counts(rank), rank)), 'copies of rows')
        copies = rank + 1
        do r = 0, ranks - 1
            do i = 1, counts(r)
                if (wanted(i, r) >= first .and. wanted(i, r) <= last) then
                    associate (row => expected(wanted(i, r) - first + 1))
                        row = row + r + 1
                    end associate
                end if
            end do
        end do
        call scatter%start()
        call scatter%wait()
        call check(all(nint(rows) == nint(expected)), 'sums at the owners')
    end subroutine

    !> Blocks of one length, bound or once, then of any lengths, bound or along a route.
    subroutine exchange_blocks()
        type(transrank_fields) :: fields, blocks
        type(transrank_exchange) :: alltoall
        type(transrank_route) :: route
        type(transrank_alltoall_options) :: options
        integer(int64), allocatable, target :: send(:, :), receive(:, :), from(:), to(:)
        integer(int64) :: counts(0:ranks - 1, 0:ranks - 1), sends(ranks), extents(2)
        integer :: length, r, i, place
        length = drawn(1, 5)
        allocate (send(length, ranks), receive(length, ranks))
        do r = 1, ranks
            send(:, r) = 100 * rank + r
        end do
        call fields%add(send, receive, values=length)
        if (drawn(0, 1) == 0) options%algorithm = 'linear'
        if (drawn(0, 1) == 0) then
            call alltoall%bind_alltoall(comm, fields, options)
            call alltoall%run()
        else
            call transrank_alltoall(comm, fields, options)
        end if
        do r = 1, ranks
            call check(all(receive(:, r) == 100 * (r - 1) + rank + 1), 'blocks of all ranks')
        end do

        do r = 0, ranks - 1
            do i = 0, ranks - 1
                counts(i, r) = drawn(0, 4)  ! from r to i
            end do
        end do
        ! The last rank's block lies first.
        sends(ranks) = 1
        do r = ranks - 1, 1, -1
            sends(r) = sends(r + 1) + counts(r, rank)
        end do
        allocate (from(sum(counts(:, rank))), to(sum(counts(rank, :))), source=-1_int64)
        do r = 0, ranks - 1
            from(sends(r + 1):sends(r + 1) + counts(r, rank) - 1) = 100 * rank + r
        end do
        call blocks%add(from, to)
        if (drawn(0, 1) == 0) then
            call alltoall%bind_alltoallv(comm, blocks, counts(:, rank), counts(rank, :), sends)
        else
            call route%alltoallv(comm, counts(:, rank), counts(rank, :), sends)
            call route%extents(extents(1), extents(2))
            call check(all(extents <= [size(from), size(to)]), 'the extents of a route')
            call alltoall%bind(comm, route, blocks)
        end if
        call alltoall%start()
        call alltoall%wait()
        place = 0
        do r = 0, ranks - 1
            do i = 1, int(counts(rank, r))
                place = place + 1
                call check(to(place) == 100 * r + rank, 'blocks of any lengths')
            end do
        end do
    end subroutine

    !> Rows of any length, or of one: copies are pulled from their owners, or pushed by them; what
    !> is added to the copies comes back.
    subroutine update_ghosts()
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: first_update, update
        type(transrank_exchange) :: gather, scatter
        integer :: owned(0:ranks - 1), counts(0:ranks - 1), wanted(8, 0:ranks - 1), most
        integer, allocatable :: lengths(:), owners(:)
        integer :: r, i, j, way, row, begin, place
        logical :: uniform, done
        integer(int64), allocatable :: pushed(:), offsets(:), indices(:), begins(:)
        integer, allocatable :: targets(:)
        integer(int32), allocatable, target :: values(:)
        integer(int32), allocatable :: expected(:)
        integer(int32), pointer, contiguous :: copies(:)
        type(c_ptr) :: address
        owned = [(drawn(1, 5), r=1, ranks)]
        owners = [((r, i=1, owned(r)), r=0, ranks - 1)]
        uniform = drawn(0, 1) == 0
        most = drawn(1, 3)
        lengths = [(merge(most, drawn(0, 3), uniform), i=1, sum(owned))]
        way = drawn(0, 3)
        do r = 0, ranks - 1
            counts(r) = drawn(0, 8)
            wanted(:, r) = [(drawn(1, sum(owned)), i=1, 8)]
            ! Of each owner the ghosts in the order of the ranks, as when they are pushed.
            if (way == 1) call order(wanted(:counts(r), r))
        end do
        begin = sum(owned(:rank - 1))
        offsets = [(1 + sum(lengths(begin + 1:begin + i)), i=0, owned(rank))]
        allocate (values(offsets(owned(rank) + 1) - 1))
        do i = 1, owned(rank)
            row = begin + i
            values(offsets(i):offsets(i + 1) - 1) = [(100 * row + j, j=1, lengths(row))]
        end do
        if (uniform) then
            call rows%add(values, values, values=most)
        else
            call rows%add(values, values)
        end if
        select case (way)
        case (0)
            if (uniform) then
                call update%pull(comm, rows, int(wanted(:counts(rank), rank), int64))
            else
                call update%pull(comm, rows, int(wanted(:counts(rank), rank), int64), offsets)
            end if
        case (1)
            pushed = [integer(int64) ::]
            targets = [integer ::]
            do r = 0, ranks - 1
                do i = 1, counts(r)
                    row = wanted(i, r)
                    if (owners(row) /= rank) cycle
                    pushed = [pushed, int(row - begin, int64)]
                    targets = [targets, r]
                end do
            end do
            if (uniform) then
                call update%push(comm, rows, pushed, targets)
            else
                call update%push(comm, rows, pushed, targets, offsets)
            end if
        case (2)
            call numbering%create(comm, owned(rank))
            call route%ghost_pull(comm, numbering, int(wanted(:counts(rank), rank), int64))
            call route%ghosts(indices)
            call check(size(indices) == counts(rank), 'ghosts of a route')
            call check(all(indices == wanted(:counts(rank), rank)), 'their indices')
            if (uniform) then
                call update%along(comm, rows, route)
            else
                call update%along(comm, rows, route, offsets)
            end if
        case default
            if (uniform) then
                call first_update%pull(comm, rows, int(wanted(:counts(rank), rank), int64))
                call update%like(comm, rows, first_update)
            else
                call first_update%pull(comm, rows, int(wanted(:counts(rank), rank), int64), offsets)
                call update%like(comm, rows, first_update, offsets)
            end if
            call first_update%free()
        end select
        call gather%bind_ghost_update(comm, update, transrank_pull)
        call scatter%bind_ghost_update(comm, update, transrank_push, operation=transrank_add)
        call update%ghosts(indices, begins, address)
        call check(size(indices) == counts(rank) .and. size(begins) == counts(rank) + 1, 'ghosts')
        call check(all(indices == wanted(:counts(rank), rank)), 'indices of the ghosts')
        call c_f_pointer(address, copies, [begins(size(begins)) - 1])
        call gather%start()
        done = .false.
        do while (.not. done)
            call gather%wait_for(0.01_real64, done)
        end do
        do i = 1, counts(rank)
            associate (ghost => copies(begins(i):begins(i + 1) - 1))
                call check(size(ghost) == lengths(wanted(i, rank)), 'the length of a ghost')
                call check(all(ghost == [(100 * wanted(i, rank) + j, j=1, size(ghost))]), 'a ghost')
            end associate
        end do
        copies = rank + 1
        call update%free()  ! what is bound keeps what it needs
        call scatter%run()
        expected = values
        place = 0
        do i = begin + 1, begin + owned(rank)
            do j = 1, lengths(i)
                place = place + 1
                expected(place) = 100 * i + j
                do r = 0, ranks - 1
                    expected(place) = expected(place) + (r + 1) * count(wanted(:counts(r), r) == i)
                end do
            end do
        end do
        call check(all(values == expected), 'sums at the owners of rows of any length')
    end subroutine

    pure subroutine order(list)
        integer, intent(inout) :: list(:)
        integer :: i, least
        do i = 1, size(list) - 1
            least = i - 1 + minloc(list(i:), 1)
            list([i, least]) = list([least, i])
        end do
    end subroutine

    !> Where things are, by the library and by hand.
    subroutine look_up()
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: grid
        type(transrank_numbering) :: numbering
        type(transrank_route) :: push
        integer(int64) :: counted(0:ranks - 1), position, lengths(2), strides(2), cells, index, row
        integer(int64), allocatable :: ghosts(:)
        integer :: extent, part, owner, i, owned(0:ranks - 1)
        integer, allocatable :: owners(:)
        extent = drawn(4, 12)
        owners = draw_owners(extent, along(1), ranks)
        do part = 0, ranks - 1
            call along(1)%owned(part, counted(part))
            call check(counted(part) == count(owners == part), 'how many a part owns')
        end do
        do i = 1, extent
            call along(1)%owner(int(i, int64), owner, position)
            call check(owner == owners(i), 'the owner of an index')
            call check(position == count(owners(:i) == owner), 'its position')
        end do
        ! The second dimension is the fastest, and parts lie on the ranks the other way round.
        call along(2)%even(5, 1)
        call grid%grid(along, halo=[transrank_halo(), transrank_halo(0, 2)], order=[2, 1], &
                       ranks=[(i, i=ranks - 1, 0, -1)])
        call grid%local_shape(rank, lengths, strides, cells)
        associate (own => counted(ranks - 1 - rank))
            if (own > 0) then
                call check(all(lengths == [own, 7_int64]), 'the shape of a local array')
                call check(all(strides == [7, 1]), 'its strides')
                call check(cells == 7 * own, 'its cells')
            else
                call check(cells == 0, 'no cells')
            end if
        end associate

        owned = [(drawn(1, 5), i=1, ranks)]
        call numbering%create(comm, owned(rank), table=.true.)
        do part = 0, ranks - 1
            call numbering%index(part, int(owned(part), int64), index)
            call check(index == sum(owned(:part)), 'the last row of a rank')
            call numbering%place(index, owner, row)
            call check(owner == part .and. row == owned(part), 'its place')
        end do
        ! Every rank pushes its last row to all.
        call push%ghost_push(comm, numbering, [(int(owned(rank), int64), i=1, ranks)], &
                             [(i, i=0, ranks - 1)], first=int(owned(rank), int64) + 1)
        call push%ghosts(ghosts)
        call check(size(ghosts) == ranks, 'a ghost of every rank')
        call check(all(ghosts == [(sum(owned(:i)), i=0, ranks - 1)]), 'the last row of each')
    end subroutine

end program random_moves_program
