! SPDX-License-Identifier: BSD-3-Clause
! Random moves through the Fortran module, held against a serial oracle, and what it refuses.
! moves_program TRIALS
program moves_program
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init
    use transrank
    implicit none (type, external)
    integer :: rank, ranks, trials, trial, comm
    integer(int64) :: state = 1
    character(len=12) :: argument

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    comm = MPI_COMM_WORLD%MPI_VAL
    call get_command_argument(1, argument)
    read (argument, *) trials
    do trial = 1, trials
        call redistribute()
        call gather_and_add()
        call exchange_blocks()
    end do
    call refuse()
    call refuse_on_one_rank()
    call MPI_Finalize()

contains

    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(len=*), intent(in) :: what
        if (.not. condition) then
            print '(a,i0,a,i0,2a)', 'trial ', trial, ', rank ', rank, ': not true: ', what
            error stop
        end if
    end subroutine

    !> From `least` to `most`; the same numbers on every rank (Park and Miller's generator).
    integer function drawn(least, most)
        integer, intent(in) :: least, most
        state = mod(state * 48271_int64, 2147483647_int64)
        drawn = least + int(mod(state / 64, int(most - least + 1, int64)))
    end function

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

    subroutine exchange_blocks()
        type(transrank_fields) :: fields
        type(transrank_exchange) :: alltoall
        integer(int64), allocatable, target :: send(:, :), receive(:, :)
        integer :: length, r
        length = drawn(1, 5)
        allocate (send(length, ranks), receive(length, ranks))
        do r = 1, ranks
            send(:, r) = 100 * rank + r
        end do
        call fields%add(send, receive, values=length)
        call alltoall%bind_alltoall(comm, ranks, fields)
        call alltoall%run()
        do r = 1, ranks
            call check(all(receive(:, r) == 100 * (r - 1) + rank + 1), 'blocks of all ranks')
        end do
    end subroutine

    subroutine refuse()
        type(transrank_distribution) :: along(1)
        type(transrank_layout) :: grid
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        real(real64), target :: square(6, 6), other(5)
        integer(int64) :: two(2)
        character(len=200) :: words
        integer :: stat
        words = ''
        call along(1)%even(-1, 2, stat, words)
        call check(stat == transrank_error_argument .and. len_trim(words) > 10, 'a negative extent')
        call along(1)%even(6, 1)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1), transrank_halo(1, 1, 1)], stat=stat)
        call check(stat == transrank_error_argument, 'two halos of one dimension')
        call grid%grid(along)
        call grid%local_shape(0, two, stat)
        call check(stat == transrank_error_argument, 'a shape of too many dimensions')
        call fields%add(square(1:6:2, :), square, stat=stat, errmsg=words)
        call check(stat == transrank_error_argument, 'an array that is not contiguous')
        call check(index(words, 'not contiguous') > 0, 'why it is not')
        call fields%add(other, other, values=2, stat=stat)
        call check(stat == transrank_error_argument, 'part of a cell')
        call exchange%start(stat)
        call check(stat == transrank_error_argument, 'an exchange that was not bound')
    end subroutine

    !> The last rank alone has something wrong: all get one error, and can go on.
    subroutine refuse_on_one_rank()
        type(transrank_distribution) :: along(1)
        type(transrank_layout) :: grid, none
        type(transrank_route) :: route
        type(transrank_fields) :: fields, refused, short
        type(transrank_exchange) :: exchange
        real(real64), target :: values(8)
        integer :: stat
        logical :: bad
        bad = rank == ranks - 1
        values = 0
        call along(1)%even(4 * ranks, ranks)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1)])
        if (bad) then
            call route%halo(comm, none, stat=stat)
        else
            call route%halo(comm, grid, stat=stat)
        end if
        call check(stat == transrank_error_agreed, 'a grid that one rank has not made')
        call route%halo(comm, grid)
        call fields%add(values(:6), values(:6))
        call short%add(values(:5), values(:6))
        call refused%add(values(1:8:2), values(1:8:2), stat=stat)
        if (bad) then
            call exchange%bind(comm, route, refused, stat=stat)
        else
            call exchange%bind(comm, route, fields, stat=stat)
        end if
        call check(stat == transrank_error_agreed, 'fields that one rank was refused')
        if (bad) then
            call exchange%bind(comm, route, short, stat=stat)
        else
            call exchange%bind(comm, route, fields, stat=stat)
        end if
        call check(stat == transrank_error_agreed, 'an array that is too short on one rank')
        call exchange%bind_alltoall(comm, merge(99, 1, bad), fields, stat=stat)
        call check(stat == transrank_error_agreed, 'an array with no room for all blocks')
        call exchange%bind(comm, route, fields)
        call exchange%run()
        call check(index(exchange%explain(), 'transport') > 0, 'explain')
    end subroutine

end program moves_program
