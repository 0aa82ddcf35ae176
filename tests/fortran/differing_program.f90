! SPDX-License-Identifier: BSD-3-Clause
!> Each rank in turn differs in one argument of a call, by a value that is as good in itself, or
!> makes another call.
program differing_program
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Finalize
    use testing, only: are_the_same, begin, check, comm, rank, ranks
    use transrank
    implicit none (type, external)

    type :: collective
        character(len=32) :: name
        character(len=32) :: c_name
        !> The arguments by which ranks may not differ.
        character(len=200) :: agreed
    end type
    character(len=*), parameter :: of_bind = ' operation transport longest_message_bytes'
    character(len=*), parameter :: of_rows = ' rows.kind rows.values offsets'
    character(len=*), parameter :: of_alltoall = &
        ' options.algorithm options.choices options.radix options.window options.leaders' // &
        ' options.ranks_per_node options.torus'
    !> What is loaded is saved before.
    type(collective), parameter :: calls(*) = [ &
        collective('numbering_create', 'numbering_create', 'table'), &
        collective('route_halo', 'route_halo', 'grid corners'), &
        collective('route_redistribution', 'route_redistribution', &
                   'source destination fill_halo'), &
        collective('route_ghost_pull', 'route_ghost_pull', 'numbering'), &
        collective('route_ghost_push', 'route_ghost_push', 'numbering'), &
        collective('route_alltoallv', 'route_alltoallv', ''), &
        collective('route_save', 'route_save', 'self'), &
        collective('route_load', 'route_load', ''), &
        collective('ghost_update_pull', 'ghost_update_pull', of_rows), &
        collective('ghost_update_push', 'ghost_update_push', of_rows), &
        collective('ghost_update_along', 'ghost_update_along', 'route' // of_rows), &
        collective('ghost_update_like', 'ghost_update_like', 'other' // of_rows), &
        collective('exchange_bind', 'exchange_bind', &
                   'route fields.count fields.kind fields.values' // of_bind), &
        collective('exchange_bind_ghost_update', 'ghost_update_bind', &
                   'update direction' // of_bind), &
        collective('exchange_bind_alltoall', 'alltoall_bind', &
                   'fields.in_place fields.values' // of_alltoall), &
        collective('exchange_bind_alltoallv', 'alltoallv_bind', 'fields.values' // of_alltoall), &
        collective('transrank_alltoall', 'alltoall', &
                   'fields.in_place fields.values' // of_alltoall)]

    type :: objects
        type(transrank_layout) :: grid
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route  ! from 4 rows to one ghost
        type(transrank_ghost_update) :: update
    end type
    !> What calls are given, and what is as good.
    type(objects), allocatable :: these(:)
    real(real64), target :: numbers(8, 3) = 0
    integer(int64), target :: integers(8, 2) = 0
    character(len=:), allocatable :: differing
    character(len=300) :: words, expected
    integer :: i, alone, bad, other, pairs, stat

    call begin(0)
    call make_objects()
    pairs = 0
    do i = 1, size(calls)
        call make(calls(i)%name)
        call check(stat == transrank_ok, trim(calls(i)%name) // ' is right; ' // trim(words))
        call differ(adjustl(calls(i)%agreed))
    end do
    if (rank == 0) print '(i0,a)', pairs, ' pairs'
    do i = 1, size(calls)
        do other = 1, size(calls)
            if (i == other) cycle
            expected = 'rank 1 calls transrank_' // trim(calls(i)%c_name) // &
                ', rank 0 transrank_' // trim(calls(other)%c_name) // ': '
            do alone = 0, 1  ! the other one's call is that of all others
                call make(calls(merge(i, other, rank == alone .eqv. alone == 1))%name)
                call check(stat == transrank_error_agreed .and. &
                           index(words, trim(expected)) == 1, trim(expected) // trim(words))
            end do
        end do
    end do
    deallocate (these)
    call MPI_Finalize()

contains

    subroutine make_objects()
        type(transrank_distribution) :: along(1)
        type(transrank_fields) :: rows
        differing = ''
        allocate (these(2))
        call along(1)%even(4 * ranks, ranks)
        call choose(rows, 'rows', 1)
        do i = 1, 2
            associate (it => these(i))
                call it%grid%grid(along, halo=[transrank_halo(1, 1, 2 - i)])
                call it%numbering%create(comm, merge(4, 4 + rank, i == 1))
                call it%route%ghost_pull(comm, these(1)%numbering, [int(i, int64)])
                call it%update%pull(comm, rows, [int(i, int64)])
            end associate
        end do
    end subroutine

    recursive subroutine differ(arguments)
        character(len=*), intent(in) :: arguments
        integer :: n
        if (arguments == '') return
        pairs = pairs + 1
        n = index(arguments, ' ')
        do bad = 0, ranks - 1
            if (rank == bad) differing = arguments(:n - 1)
            call make(calls(i)%name)
            differing = ''
            ! Rank 0 is named, whichever rank differs.
            call check(stat == transrank_error_agreed .and. index(words, ' 0') > 0, &
                       trim(calls(i)%name) // ', ' // arguments(:n) // ': ' // trim(words))
            call check(are_the_same(words), 'the same text on all ranks: ' // trim(words))
        end do
        call differ(arguments(n + 1:))
    end subroutine

    logical function differs(argument)
        character(len=*), intent(in) :: argument
        differs = argument == differing
    end function

    !> 2 where this rank differs, else 1.
    integer function which(argument)
        character(len=*), intent(in) :: argument
        which = merge(2, 1, differs(argument))
    end function

    !> Four cells or rows, which go to a column of the arrays.
    subroutine choose(fields, name, column)
        type(transrank_fields), intent(out) :: fields
        character(len=*), intent(in) :: name
        integer, intent(in) :: column
        integer :: to, values
        to = merge(1, column, differs(name // '.in_place'))
        values = which(name // '.values')
        if (differs(name // '.kind')) then
            call fields%add(integers(:4 * values, 1), integers(:4 * values, to), values)
        else
            call fields%add(numbers(:4 * values, 1), numbers(:4 * values, to), values)
        end if
        if (differs(name // '.count')) call fields%add(numbers(:, 1), numbers(:, 3), values)
    end subroutine

    function options()
        type(transrank_alltoall_options) :: options
        if (differs('options.algorithm')) options%algorithm = 'pairwise'
        if (differs('options.choices')) options%choices = 'choices'
        if (differs('options.radix')) options%radix = 3
        if (differs('options.window')) options%window = 9
        if (differs('options.leaders')) options%leaders = 3
        if (differs('options.ranks_per_node')) options%ranks_per_node = 1
        if (differs('options.torus')) options%torus = [ranks]
    end function

    subroutine make(name)
        character(len=*), intent(in) :: name
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        type(transrank_exchange) :: exchange
        character(len=:), allocatable :: transport
        integer(int64) :: counts(ranks), longest
        integer :: operation
        counts = 1
        words = ''
        longest = 1000 + which('longest_message_bytes')
        operation = merge(transrank_max, transrank_add, differs('operation'))
        if (differs('transport')) transport = 'message'
        call choose(fields, 'fields', 2)
        select case (name)
        case ('numbering_create')
            call numbering%create(comm, 4, differs('table'), stat, words)
        case ('route_halo')
            call route%halo(comm, these(which('grid'))%grid, .not. differs('corners'), stat, words)
        case ('route_redistribution')
            call route%redistribution(comm, these(which('source'))%grid, &
                                      these(which('destination'))%grid, differs('fill_halo'), &
                                      stat, words)
        case ('route_ghost_pull')
            call route%ghost_pull(comm, these(which('numbering'))%numbering, counts(:1), &
                                  stat=stat, errmsg=words)
        case ('route_ghost_push')
            call route%ghost_push(comm, these(which('numbering'))%numbering, counts(:1), [0], &
                                  stat=stat, errmsg=words)
        case ('route_alltoallv')
            call route%alltoallv(comm, counts, counts, stat=stat, errmsg=words)
        case ('route_save')
            call these(which('self'))%route%save(comm, 'saved', stat, words)
        case ('route_load')
            call route%load(comm, 'saved', stat, words)
        case ('exchange_bind')
            call exchange%bind(comm, these(which('route'))%route, fields, operation, transport, &
                               longest, stat, words)
        case ('exchange_bind_ghost_update')
            call exchange%bind_ghost_update( &
                comm, these(which('update'))%update, &
                merge(transrank_pull, transrank_push, differs('direction')), operation, &
                transport, longest, stat, words)
        case ('exchange_bind_alltoall')
            call exchange%bind_alltoall(comm, fields, options(), stat, words)
        case ('exchange_bind_alltoallv')
            call exchange%bind_alltoallv(comm, fields, counts, counts, options=options(), &
                                         stat=stat, errmsg=words)
        case ('transrank_alltoall')
            call transrank_alltoall(comm, fields, options(), stat, words)
        case default
            call make_update(name)
        end select
    end subroutine

    !> And binds it: some of what ranks agree on is looked at then.
    subroutine make_update(name)
        character(len=*), intent(in) :: name
        integer(int64), parameter :: first(1) = 1, offsets(5) = [1, 2, 3, 4, 5]
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: update
        type(transrank_exchange) :: exchange
        call choose(rows, 'rows', 1)
        associate (route => these(which('route'))%route, like => these(which('other'))%update)
            select case (trim(name) // merge(', uneven', '        ', differs('offsets')))
            case ('ghost_update_pull')
                call update%pull(comm, rows, first, stat, words)
            case ('ghost_update_pull, uneven')
                call update%pull(comm, rows, first, offsets, stat, words)
            case ('ghost_update_push')
                call update%push(comm, rows, first, [0], stat, words)
            case ('ghost_update_push, uneven')
                call update%push(comm, rows, first, [0], offsets, stat, words)
            case ('ghost_update_along')
                call update%along(comm, rows, route, stat, words)
            case ('ghost_update_along, uneven')
                call update%along(comm, rows, route, offsets, stat, words)
            case ('ghost_update_like')
                call update%like(comm, rows, like, stat, words)
            case ('ghost_update_like, uneven')
                call update%like(comm, rows, like, offsets, stat, words)
            end select
        end associate
        if (stat == transrank_ok) then
            call exchange%bind_ghost_update(comm, update, transrank_pull, stat=stat, errmsg=words)
        end if
    end subroutine

end program differing_program
