! SPDX-License-Identifier: BSD-3-Clause
!> Every collective procedure, called rightly or with something wrong.
module calls
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use testing, only: check, comm, rank, ranks
    use transrank
    implicit none (type, external)
    private
    public :: all_calls, attempt, collective, good, make_good, wrong_names

    ! What is wrong, where a call can have it.
    integer, parameter, public :: right = 0
    integer, parameter :: no_handle = 1, freed = 2, refused = 3, short = 4, number = 5, &
        choice = 6, list = 7
    character(len=*), parameter :: wrong_names(7) = [character(len=9) :: 'no handle', 'freed', &
                                                     'refused', 'short', 'number', 'choice', 'list']

    type :: right_objects
        type(transrank_layout) :: grid
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route  ! from 4 rows to one ghost
        type(transrank_ghost_update) :: update
    end type
    type(right_objects), allocatable, target :: good
    real(real64), target :: owned(2, 4) = 0, copies(2, 1) = 0, blocks(8, 2) = 0

    abstract interface
        subroutine attempt(wrong, stat, words)
            integer, intent(in) :: wrong
            integer, intent(out) :: stat
            character(len=*), intent(inout) :: words
        end subroutine
    end interface

    type :: collective
        character(len=32) :: name
        procedure(attempt), pointer, nopass :: call
        integer, allocatable :: wrong(:)
    end type

contains

    subroutine make_good()
        type(transrank_distribution) :: along(1)
        type(transrank_fields) :: rows
        allocate (good)
        call along(1)%even(4 * ranks, ranks)
        call good%grid%grid(along, halo=[transrank_halo(1, 1, 1)])
        call good%numbering%create(comm, 4)
        call good%route%ghost_pull(comm, good%numbering, [1_int64])
        call rows%add(owned, owned, values=2)
        call good%update%pull(comm, rows, [1_int64])
    end subroutine

    function all_calls() result(table)
        type(collective), allocatable :: table(:)
        allocate (table(18))
        table(1) = collective('numbering_create', numbering_create, [number])
        table(2) = collective('route_halo', route_halo, [no_handle, freed])
        table(3) = collective('route_redistribution', route_redistribution, [no_handle, freed])
        table(4) = collective('route_ghost_pull', route_ghost_pull, &
                              [no_handle, freed, number, choice])
        table(5) = collective('route_ghost_push', route_ghost_push, &
                              [no_handle, freed, number, choice, list])
        table(6) = collective('route_alltoallv', route_alltoallv, [number, choice, list])
        table(7) = collective('route_save', route_save, [no_handle, freed, choice])
        table(8) = collective('route_load', route_load, [choice])
        table(9) = collective('ghost_update_pull', update_pull, &
                              [refused, short, number, choice, list])
        table(10) = collective('ghost_update_push', update_push, &
                               [refused, short, number, choice, list])
        table(11) = collective('ghost_update_along', update_along, &
                               [no_handle, freed, refused, short, list])
        table(12) = collective('ghost_update_like', update_like, &
                               [no_handle, freed, refused, short, list])
        table(13) = collective('exchange_bind', bind, &
                               [no_handle, freed, refused, short, number, choice])
        table(14) = collective('exchange_bind_ghost_update', bind_ghost_update, &
                               [no_handle, freed, number, choice])
        table(15) = collective('exchange_bind_alltoall', bind_alltoall, &
                               [refused, short, choice, list])
        table(16) = collective('exchange_bind_alltoallv', bind_alltoallv, &
                               [refused, short, number, choice, list])
        table(17) = collective('transrank_alltoall', once, [refused, short, choice, list])
        table(18) = collective('exchange_bind of a grid', bind_to_grid, &
                               [refused, short, number, choice, list])
    end function

    !> A right route, none, or one that was freed elsewhere.
    subroutine choose_route(wrong, route)
        integer, intent(in) :: wrong
        type(transrank_route), intent(inout) :: route
        type(transrank_route) :: other
        if (wrong == no_handle) return
        call other%transposed(good%route)
        call route%transposed(other)
        if (wrong == freed) then
            other = route
            call other%free()
        end if
    end subroutine

    subroutine choose_grid(wrong, grid)
        integer, intent(in) :: wrong
        type(transrank_layout), intent(inout) :: grid
        type(transrank_distribution) :: along(1)
        type(transrank_layout) :: other
        if (wrong == no_handle) return
        call along(1)%even(4 * ranks, ranks)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1)])
        if (wrong == freed) then
            other = grid
            call other%free()
        end if
    end subroutine

    !> The owned rows of a ghost update.
    subroutine choose_rows(wrong, rows)
        integer, intent(in) :: wrong
        type(transrank_fields), intent(inout) :: rows
        integer :: ignored
        if (wrong == refused) then
            call rows%add(blocks(::2, :), blocks(::2, :), values=2, stat=ignored)
        else if (wrong == short) then
            call rows%add(owned(:, :3), owned, values=2)
        else
            call rows%add(owned, owned, values=2)
        end if
        if (wrong == list) call rows%add(blocks, blocks)
    end subroutine

    !> The blocks of an alltoall, of two values each.
    subroutine choose_blocks(wrong, fields)
        integer, intent(in) :: wrong
        type(transrank_fields), intent(inout) :: fields
        integer :: ignored
        if (wrong == list) return
        if (wrong == refused) then
            call fields%add(blocks(::2, 1), blocks(::2, 2), stat=ignored)
        else if (wrong == short) then
            call fields%add(blocks(:2 * ranks - 2, 1), blocks(:, 2), values=2)
        else
            call fields%add(blocks(:, 1), blocks(:, 2), values=2)
        end if
    end subroutine

    subroutine numbering_create(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_numbering) :: numbering
        call numbering%create(comm, merge(-1, 4, wrong == number), stat=stat, errmsg=words)
    end subroutine

    subroutine route_halo(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_layout) :: grid
        type(transrank_route) :: route
        call choose_grid(wrong, grid)
        call route%halo(comm, grid, stat=stat, errmsg=words)
    end subroutine

    subroutine route_redistribution(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_layout) :: grid
        type(transrank_route) :: route
        call choose_grid(wrong, grid)
        call route%redistribution(comm, good%grid, grid, stat=stat, errmsg=words)
    end subroutine

    subroutine choose_numbering(wrong, numbering)
        integer, intent(in) :: wrong
        type(transrank_numbering), intent(inout) :: numbering
        type(transrank_numbering) :: other
        call numbering%create(comm, 4)
        if (wrong == no_handle) call numbering%free()
        if (wrong == freed) then
            other = numbering
            call other%free()
        end if
    end subroutine

    subroutine route_ghost_pull(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route
        call choose_numbering(wrong, numbering)
        call route%ghost_pull(comm, numbering, [merge(0_int64, 1_int64, wrong == number)], &
                              first=merge(-1_int64, 1_int64, wrong == choice), &
                              stat=stat, errmsg=words)
    end subroutine

    subroutine route_ghost_push(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route
        integer :: targets(2)
        targets = merge(99, 0, wrong == choice)
        call choose_numbering(wrong, numbering)
        call route%ghost_push(comm, numbering, [merge(0_int64, 1_int64, wrong == number)], &
                              targets(:merge(2, 1, wrong == list)), stat=stat, errmsg=words)
    end subroutine

    subroutine route_alltoallv(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_route) :: route
        integer(int64) :: counts(ranks), others(ranks)
        counts = 1
        others = 1
        if (wrong == number) counts = -1
        if (wrong == choice) others = 2
        call route%alltoallv(comm, counts(:merge(0, ranks, wrong == list)), others, &
                             stat=stat, errmsg=words)
    end subroutine

    subroutine route_save(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_route) :: route
        call choose_route(wrong, route)
        call route%save(comm, merge('/dev/null/it', 'saved       ', wrong == choice), stat, words)
    end subroutine

    subroutine route_load(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_route) :: route
        call good%route%save(comm, 'saved')
        call route%load(comm, merge('nowhere', 'saved  ', wrong == choice), stat, words)
    end subroutine

    subroutine update_pull(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: update
        integer(int64), allocatable :: offsets(:)
        call choose_rows(wrong, rows)
        if (wrong == choice) then
            allocate (offsets(0))
            call update%pull(comm, rows, [1_int64], offsets, stat, words)
        else
            call update%pull(comm, rows, [merge(0_int64, 1_int64, wrong == number)], &
                             stat=stat, errmsg=words)
        end if
    end subroutine

    subroutine update_push(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: update
        integer :: targets(2)
        targets = 0
        call choose_rows(wrong, rows)
        call update%push(comm, rows, [merge(0_int64, 1_int64, wrong == number)], &
                         targets(:merge(2, 1, wrong == choice)), stat=stat, errmsg=words)
    end subroutine

    subroutine update_along(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: rows
        type(transrank_route) :: route
        type(transrank_ghost_update) :: update
        call choose_rows(wrong, rows)
        call choose_route(wrong, route)
        call update%along(comm, rows, route, stat=stat, errmsg=words)
    end subroutine

    subroutine update_like(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: rows, right_rows
        type(transrank_ghost_update) :: like, other, update
        call choose_rows(wrong, rows)
        call choose_rows(right, right_rows)
        call like%pull(comm, right_rows, [1_int64])
        if (wrong == freed) then
            other = like
            call other%free()
        else if (wrong == no_handle) then
            call like%free()
        end if
        call update%like(comm, rows, like, stat=stat, errmsg=words)
    end subroutine

    subroutine bind(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        integer :: ignored
        call choose_route(wrong, route)
        if (wrong == refused) then
            call fields%add(blocks(::2, 1), blocks(::2, 2), stat=ignored)
        else if (wrong == short) then
            call fields%add(owned, copies(:, :0), values=2)
        else
            call fields%add(owned, copies, values=2)
        end if
        if (wrong == choice) then
            call exchange%bind(comm, route, fields, transport='nosuch', stat=stat, errmsg=words)
        else
            call exchange%bind(comm, route, fields, &
                               operation=merge(-1, transrank_assign, wrong == number), &
                               longest_message_bytes=1000_int64, stat=stat, errmsg=words)
        end if
    end subroutine

    !> Two values in each of 6 x 5 cells, or another array of as many elements or more.
    subroutine bind_to_grid(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: grid
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        real(real64), target :: cells(2, 6, 5), swapped(2, 5, 6), longer(66), last(6, 5, 2), &
            wider(2, 7, 5), flat(60), by_cells(2, 30)
        call along(1)%even(4, 1)
        call along(2)%even(3 * ranks, ranks)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1), transrank_halo(1, 1, 1)])
        call route%halo(comm, grid)
        select case (wrong)
        case (short)
            call fields%add(swapped, swapped, values=2)
        case (number)
            call fields%add(longer, longer, values=2)
        case (choice)
            call fields%add(last, last, values=2)
        case (list)
            call fields%add(cells, wider, values=2)
        case (refused)
            call fields%add(cells, cells)
        case default
            call fields%add(cells, cells, values=2)
            call fields%add(flat, flat, values=2)
            call fields%add(by_cells, by_cells, values=2)
            call fields%add(last(:, :, 2), last(:, :, 2))
        end select
        call exchange%bind(comm, route, fields, stat=stat, errmsg=words)
        if (wrong == short) &
            call check(index(words, ": field 1: the source has shape (2, 5, 6); this rank's array" // &
                             ' of this grid has shape (6, 5), halo included (local_shape); give' // &
                             ' one field per component, u(:, :, k), or') > 0, trim(words))
        if (wrong == list) &
            call check(index(words, 'the destination has shape (2, 7, 5)') > 0, trim(words))
    end subroutine

    subroutine bind_ghost_update(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: update, other
        type(transrank_exchange) :: exchange
        call choose_rows(right, rows)
        call update%pull(comm, rows, [1_int64])
        if (wrong == freed) then
            other = update
            call other%free()
        else if (wrong == no_handle) then
            call update%free()
        end if
        call exchange%bind_ghost_update(comm, update, &
                                        merge(-1, transrank_push, wrong == choice), &
                                        operation=merge(-1, transrank_add, wrong == number), &
                                        stat=stat, errmsg=words)
    end subroutine

    subroutine bind_alltoall(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        type(transrank_alltoall_options) :: options
        call choose_blocks(wrong, fields)
        if (wrong == choice) options%algorithm = 'nosuch'
        call exchange%bind_alltoall(comm, fields, options, stat, words)
    end subroutine

    subroutine bind_alltoallv(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        integer(int64) :: counts(ranks), first(ranks)
        integer :: r
        call choose_blocks(merge(right, wrong, wrong == list .or. wrong == short), fields)
        counts = 1
        first = [(r, r=1, ranks)]
        if (wrong == number) counts(ranks) = -1
        if (wrong == choice) first(1) = 0
        if (wrong == short) first(1) = 5
        call exchange%bind_alltoallv(comm, fields, counts, &
                                     counts(:merge(0, ranks, wrong == list)), first, &
                                     stat=stat, errmsg=words)
    end subroutine

    subroutine once(wrong, stat, words)
        integer, intent(in) :: wrong
        integer, intent(out) :: stat
        character(len=*), intent(inout) :: words
        type(transrank_fields) :: fields
        type(transrank_alltoall_options) :: options
        call choose_blocks(wrong, fields)
        if (wrong == choice) options%torus = [-1]
        call transrank_alltoall(comm, fields, options, stat, words)
    end subroutine

end module calls

! What one rank alone has wrong is refused by all of them, with one text, and they can go on.
program one_rank_program
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use calls, only: all_calls, collective, good, make_good, right, wrong_names
    use mpi_f08, only: MPI_Finalize
    use testing, only: are_the_same, begin, check, comm, rank, ranks, trial
    use transrank
    implicit none (type, external)
    type(collective), allocatable :: table(:)
    character(len=300) :: words
    integer :: i, bad, w, stat

    call begin(0)
    call make_good()
    table = all_calls()
    do i = 1, size(table)
        do bad = 0, ranks - 1
            do w = 1, size(table(i)%wrong)
                trial = 1000 * i + 100 * bad + table(i)%wrong(w)
                words = ''
                call table(i)%call(merge(table(i)%wrong(w), right, rank == bad), stat, words)
                call check(stat == transrank_error_agreed, trim(table(i)%name) // ', ' // &
                           trim(wrong_names(table(i)%wrong(w))) // ': agreed; ' // trim(words))
                call check(are_the_same(words), 'the same text on all ranks: ' // trim(words))
            end do
        end do
        call table(i)%call(right, stat, words)
        call check(stat == transrank_ok, trim(table(i)%name) // ' is right; ' // trim(words))
    end do
    trial = 0
    call refuse_here()
    call break()
    deallocate (good)
    call MPI_Finalize()
    call come_late()

contains

    subroutine come_late()
        type(transrank_route) :: route
        integer(int64) :: counts(ranks)
        counts = 1
        call route%alltoallv(comm, counts, counts, stat=stat, errmsg=words)
        if (stat /= transrank_error_misuse) error stop 'a route after MPI_Finalize'
    end subroutine

    !> What is no concern of other ranks.
    subroutine refuse_here()
        type(transrank_distribution) :: along(1), none
        type(transrank_layout) :: grid, points
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route, no_route
        type(transrank_memory) :: memory
        type(transrank_ghost_update) :: update
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        real(real64), target :: square(6, 6), other(5)
        integer(int64) :: two(2), one, another
        integer(int64), allocatable :: indices(:)
        integer :: part
        logical :: done
        words = ''
        call along(1)%even(-1, 2, stat, words)
        call refused('a negative extent')
        call along(1)%irregular([3, -1], stat, words)
        call refused('a negative length')
        call along(1)%block_cyclic(8, 2, 0, stat=stat, errmsg=words)
        call refused('blocks of nothing')
        call along(1)%even(6, 1)
        call along(1)%owned(1, one, stat, words)
        call refused('a part that there is not')
        call none%owned(0, one, stat, words)
        call refused('a distribution that was not made')
        call along(1)%owner(7_int64, part, one, stat, words)
        call refused('an index beyond the end')
        call grid%grid(along, halo=[transrank_halo(1, 1, 1), transrank_halo(1, 1, 1)], stat=stat, &
                       errmsg=words)
        call refused('two halos of one dimension')
        call grid%grid(along, order=[1, 2], stat=stat, errmsg=words)
        call refused('an order of two dimensions')
        call grid%grid(along, order=[2], stat=stat, errmsg=words)
        call refused('an order of others')
        call grid%grid(along, ranks=[0, 1], stat=stat, errmsg=words)
        call refused('two ranks of one part')
        call grid%grid([none], stat=stat, errmsg=words)
        call refused('a grid of what was not made')
        call grid%grid(along)
        call grid%local_shape(0, two, stat=stat, errmsg=words)
        call refused('a shape of too many dimensions')
        call grid%box(0, two(:1), two, stat, words)
        call refused('a box of too many dimensions')
        call points%points([0_int64], stat, words)
        if (stat == transrank_ok) call points%box(0, two(:0), two(:0), stat, words)
        call refused('a box of points')
        call numbering%range(one, another, stat=stat, errmsg=words)
        call refused('a range of no numbering')
        call numbering%index(0, 1_int64, one, stat, words)
        call refused('an index of no numbering')
        call good%numbering%place(0_int64, part, one, stat, words)
        call refused('the row before the first')
        call route%transposed(no_route, stat, words)
        call refused('the way back of no route')
        call route%extents(one, another, stat, words)
        call refused('the extents of no route')
        call route%ghosts(indices, stat, words)
        call refused('the ghosts of no route')
        call update%ghosts(indices, stat=stat, errmsg=words)
        call refused('the ghosts of no update')
        call memory%allocate(-1_int64, stat, words)
        call refused('negative memory')
        call fields%add(square(1:6:2, :), square, stat=stat, errmsg=words)
        call check(index(words, 'not contiguous') > 0, 'why an array is refused')
        call refused('an array that is not contiguous')
        call fields%add(other, other, values=2, stat=stat, errmsg=words)
        call refused('part of a cell')
        call fields%add(other, other, values=0, stat=stat, errmsg=words)
        call refused('cells of nothing')
        call exchange%start(stat, words)
        call refused('an exchange that was not bound')
        call exchange%wait(stat, words)
        call refused('waiting for it')
        call exchange%run(stat, words)
        call refused('running it')
        call exchange%test(done, stat, words)
        call refused('testing it')
        call exchange%wait_for(0.1_real64, done, stat, words)
        call refused('waiting for it a little')
        call exchange%abandon('nothing', stat, words)
        call refused('abandoning it')
        call check(exchange%explain() == '', 'nothing to explain')
    end subroutine

    subroutine refused(what)
        character(len=*), intent(in) :: what
        call check(stat == transrank_error_argument .and. len_trim(words) > 10, what)
        words = ''
    end subroutine

    !> An exchange that one rank abandons, and what a refusal leaves behind.
    subroutine break()
        type(transrank_route) :: route
        type(transrank_fields) :: fields, wrong
        type(transrank_exchange) :: exchange
        real(real64), target :: from(ranks), to(ranks), every_other(8)
        integer(int64) :: counts(ranks)
        logical :: done
        counts = 1
        from = rank
        call route%alltoallv(comm, counts, counts)
        call fields%add(from, to)
        call wrong%add(every_other(::2), to, stat=stat)
        if (rank > 0) wrong = fields
        call exchange%bind(comm, route, wrong, stat=stat, errmsg=words)
        call check(stat == transrank_error_agreed, 'fields that one rank was refused')
        call check(words == 'rank 0: an array of a field is not contiguous; give a whole' // &
                   ' array, or one that is', 'why: ' // trim(words))
        call exchange%bind(comm, route, fields)
        call exchange%run()
        do i = 1, 2  ! it is over, however often one asks
            call exchange%wait()
            call exchange%test(done)
            call check(done, 'over when tested')
            call exchange%wait_for(0.0_real64, done)
            call check(done, 'over when waited for')
        end do
        call check(all(nint(to) == [(i, i=0, ranks - 1)]), 'values of all ranks')
        call check(index(exchange%explain(), 'transport') > 0, 'explain')
        if (rank == 0) then
            call exchange%abandon('no room for it', stat, words)
            call check(stat == transrank_error_misuse .and. words == 'no room for it', 'abandoned')
        else
            call exchange%run(stat)
            call check(stat == transrank_error_broken, 'abandoned by rank 0')
        end if
    end subroutine

end program one_rank_program
