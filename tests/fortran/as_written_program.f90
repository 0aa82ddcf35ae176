! SPDX-License-Identifier: BSD-3-Clause
! What is wrong is named as it was written: counted from 1, of any kind of integer. Copies free
! nothing that is not theirs.
program as_written_program
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Finalize
    use testing, only: begin, check, comm, ranks, trial
    use transrank
    implicit none (type, external)
    integer(int64), parameter :: most = huge(0_int64), least = -most - 1
    type(transrank_distribution) :: along(2)
    type(transrank_numbering) :: numbering
    type(transrank_fields) :: rows
    real(real64), target :: owned(4) = 0
    character(len=500) :: words = ''
    integer :: stat, i

    call begin()
    call numbering%create(comm, 4, table=.true.)
    call rows%add(owned, owned)
    call name_indices()
    call name_rows()
    call name_dimensions_and_fields()
    call name_offsets()
    call count_in_64_bits()
    call copy_memory()
    call copy_objects()
    call MPI_Finalize()

contains

    subroutine says(text)
        character(len=*), intent(in) :: text
        trial = trial + 1
        call check(stat == transrank_error_argument .or. stat == transrank_error_agreed, &
                   'refused: ' // text)
        call check(index(words, text) > 0, text // ' in: ' // trim(words))
        words = ''
    end subroutine

    function shown(number) result(text)
        integer(int64), intent(in) :: number
        character(len=:), allocatable :: text
        character(len=24) :: digits
        write (digits, '(i0)') number
        text = trim(digits)
    end function

    !> Of all that have an index: below the first, beyond the last, and what must not wrap.
    subroutine name_indices()
        type(transrank_layout) :: points, grid
        type(transrank_route) :: route
        type(transrank_ghost_update) :: update
        integer(int64) :: wrong(5), position, row
        integer :: part
        wrong = [0_int64, 4_int64 * ranks + 1, most, least, least + 1]
        call along(1)%even(4 * ranks, ranks)
        call grid%grid(along(:1))
        do i = 1, size(wrong)
            call along(1)%owner(wrong(i), part, position, stat, words)
            call says('index ' // shown(wrong(i)) // ' is out of range [1, ' // &
                      shown(4_int64 * ranks) // ']')
            call numbering%place(wrong(i), part, row, stat, words)
            call says('index ' // shown(wrong(i)) // ' is out of range [1, ')
            call numbering%index(0, wrong(i), row, stat, words)
            call says('row ' // shown(wrong(i)) // ' of rank 0 is out of range [1, 4]')
            call route%ghost_pull(comm, numbering, [1_int64, wrong(i)], stat=stat, errmsg=words)
            call says('ghost 2 on rank 0 has index ' // shown(wrong(i)) // ', out of range [1, ')
            call update%pull(comm, rows, [wrong(i)], stat, words)
            call says('ghost 1 on rank 0 has index ' // shown(wrong(i)))
            call points%points([1_int64, wrong(i)])
            call route%redistribution(comm, points, grid, stat=stat, errmsg=words)
            call says('cell 2 in the list of rank 0 has number ' // shown(wrong(i)))
            call check(index(words, 'numbered from 0') == 0, 'from 1')
        end do
    end subroutine

    subroutine name_rows()
        type(transrank_route) :: route
        type(transrank_ghost_update) :: update
        integer(int64) :: wrong(4), counts(ranks), first(ranks)
        wrong = [0_int64, 5_int64, most, least]
        do i = 1, size(wrong)
            call route%ghost_push(comm, numbering, [wrong(i)], [0], stat=stat, errmsg=words)
            call says('push 1 of rank 0 is of row ' // shown(wrong(i)) // ', but it owns 4 rows;' // &
                      ' pushed rows are local, counted from 1')
            call update%push(comm, rows, [1_int64, wrong(i)], [0, 0], stat, words)
            call says('push 2 of rank 0 is of row ' // shown(wrong(i)))
        end do
        call route%ghost_pull(comm, numbering, [1_int64], first=0_int64, stat=stat, errmsg=words)
        call says('from row 0 on of an array of')
        call route%ghost_pull(comm, numbering, [1_int64], first=least, stat=stat, errmsg=words)
        call says('from row ' // shown(least) // ' on')
        call route%ghost_pull(comm, numbering, [1_int64, 2_int64], first=most, stat=stat, &
                              errmsg=words)
        call says('from row ' // shown(most) // ' on')
        call route%ghost_push(comm, numbering, [1_int64], [0], first=0_int64, stat=stat, &
                              errmsg=words)
        call says('begin at row 0; it must be at least 1')
        counts = 1
        first = 0
        call route%alltoallv(comm, counts, counts, first, stat=stat, errmsg=words)
        call says('at displacement 0')
    end subroutine

    subroutine name_dimensions_and_fields()
        type(transrank_layout) :: grid, other
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        real(real64), target :: from(4), to(1), short(0)
        integer(int64) :: box(2), ends(2)
        call along(1)%even(4, 1)
        call along(2)%even(4 * ranks, ranks)
        call grid%grid(along, order=[1, 3], stat=stat, errmsg=words)
        call says('names dimension 3 twice, or there is none; give each of 1 to 2')
        call grid%grid(along, order=[0, 1], stat=stat, errmsg=words)
        call says('names dimension 0 ')
        call grid%grid(along, order=[-huge(0) - 1, 1], stat=stat, errmsg=words)
        call says('names dimension ' // shown(-int(huge(0), int64) - 1) // ' ')
        call grid%grid(along, halo=[transrank_halo(0, 0), transrank_halo(-1, 0)], stat=stat, &
                       errmsg=words)
        call says('of dimension 2 must be at least 0')
        call grid%grid(along, halo=[transrank_halo(0, 0), transrank_halo(5, 5)])
        call route%halo(comm, grid, stat=stat, errmsg=words)
        if (ranks > 1) call says('of dimension 2 on rank')
        call grid%grid(along)
        call along(2)%even(4 * ranks + 1, ranks)
        call other%grid(along)
        call route%redistribution(comm, grid, other, stat=stat, errmsg=words)
        call says('dimension 2 has extent')
        call along(1)%block_cyclic(2 * ranks, ranks, 1)
        call grid%grid(along(:1))
        call grid%box(0, box(:1), ends(:1), stat, words)
        if (ranks > 1) call says('owns 2 ranges of dimension 1')
        call route%ghost_pull(comm, numbering, [1_int64])
        call fields%add(from, to)
        call fields%add(from, short)
        call exchange%bind(comm, route, fields, stat=stat, errmsg=words)
        call says('field 2 on rank 0')
        call along(1)%irregular([3, -1], stat, words)
        call says('lengths(2) is -1')
    end subroutine

    subroutine name_offsets()
        type(transrank_ghost_update) :: update
        integer(int64), allocatable :: none(:)
        call update%pull(comm, rows, [1_int64], [integer(int64) ::], stat, words)
        call says('the offsets are empty')
        call update%push(comm, rows, [1_int64], [0], [integer(int64) ::], stat, words)
        call says('the offsets are empty')
        allocate (none(0))
        call update%pull(comm, rows, [1_int64], none, stat, words)
        call says('the offsets are empty')
        call update%pull(comm, rows, [1_int64], [1_int64, 3_int64, 2_int64], stat, words)
        call says('row 2 begins at offset 3 and ends at 2')
        call update%pull(comm, rows, [1_int64], [0_int64, 1_int64], stat, words)
        call says('an offset is 0; they count from 1')
        call update%pull(comm, rows, [1_int64], [1_int64, least], stat, words)
        call says('an offset is ' // shown(least))
        call update%pull(comm, rows, [1_int64], [1_int64, 3_int64, 5_int64])
    end subroutine

    subroutine count_in_64_bits()
        type(transrank_numbering) :: long
        integer(int64), parameter :: extent = 3 * 2_int64**31
        integer(int64) :: count, position, first, last, all_rows
        integer :: part
        call along(1)%even(extent, 2)
        call along(1)%owner(extent, part, position)
        call check(part == 1 .and. position == extent / 2, 'the last index of a long extent')
        call along(1)%irregular([extent, 1_int64])
        call along(1)%owned(0, count)
        call check(count == extent, 'a long part')
        call along(1)%block_cyclic(2 * extent, 2, extent, first_part=1)
        call along(1)%owner(1_int64, part)
        call check(part == 1, 'long blocks')
        call long%create(comm, extent)
        call long%range(first, last, all_rows)
        call check(last - first == extent - 1 .and. all_rows == ranks * extent, 'long rows')
        call along(1)%irregular([most, 1_int64], stat, words)
        call says('lengths(2) is 1;')
        call along(1)%even(-extent, 2, stat, words)
        call says('the extent is -6442450944')
    end subroutine

    !> The next memory has the address that was freed, and stays when a copy of the freed one goes.
    subroutine copy_memory()
        type(transrank_memory) :: a, c, all(2)
        real(real64), pointer :: values(:)
        integer, parameter :: bytes = 8000000
        call a%allocate(bytes)
        block
            type(transrank_memory) :: b
            b = a
            all = [a, a]
            call a%free()
            call check(.not. c_associated(a%address), 'no address is left')
            call c%allocate(int(bytes, int64))
            call b%free(stat, words)
            call says('the call got a handle that was freed')
            call all(2)%free(stat, words)
            call says('the call got a handle that was freed')
            b = a
        end block
        call all(1)%allocate(8)
        call c_f_pointer(c%address, values, [bytes / 8])
        values = 1
        call check(nint(sum(values)) == bytes / 8, 'memory of another')
        call c%free()
        call c%free(stat, words)
        call check(stat == transrank_ok, 'freed twice by its owner')
    end subroutine

    !> However many objects were freed since.
    subroutine copy_objects()
        type(transrank_distribution) :: a, copy, other
        integer(int64) :: count
        call a%even(10, 1)
        copy = a
        call a%free()
        do i = 1, 3000
            call other%even(2025, 1)
            call other%free()
        end do
        call other%even(2025, 1)
        call copy%owned(0, count, stat, words)
        call says('the call got a handle that was freed')
        call copy%free(stat, words)
        call says('the call got a handle that was freed')
        call other%owned(0, count)
        call check(count == 2025, 'another object')
    end subroutine

end program as_written_program
