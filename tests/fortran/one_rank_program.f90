! SPDX-License-Identifier: BSD-3-Clause
!> What one rank alone has wrong is refused by all of them, with one text, and they can go on: an
!> argument that no rank may pass, or one that is as good in itself but differs.
program one_rank_program
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Finalize
    use testing, only: are_the_same, begin, check, comm, rank, ranks, trial
    use transrank
    implicit none (type, external)

    type :: collective
        character(len=32) :: name
        !> The arguments by which ranks may not differ.
        character(len=200) :: agreed
        !> What no rank may pass, as argument:why.
        character(len=200) :: wrong
    end type
    character(len=*), parameter :: of_bind = &
        ' operation transport longest_message_bytes together'
    character(len=*), parameter :: of_rows = ' rows.kind rows.values offsets'
    character(len=*), parameter :: of_alltoall = &
        ' options.algorithm options.choices options.radix options.window options.leaders' // &
        ' options.ranks_per_node options.torus'
    character(len=*), parameter :: no_numbering = ' numbering:none numbering:freed'
    character(len=*), parameter :: no_rows = ' rows:refused rows:short rows:two rows:strided'
    character(len=*), parameter :: no_blocks = &
        ' fields:refused fields:short fields:none fields:strided options.algorithm:unknown options.torus:negative'
    !> What is loaded is saved before.
    type(collective), parameter :: calls(*) = [ &
        collective('numbering_create', 'table', 'owned:negative'), &
        collective('route_halo', 'grid corners', 'grid:none grid:freed'), &
        collective('route_redistribution', 'source destination fill_halo', &
                   'source:none source:freed destination:none destination:freed'), &
        collective('route_ghost_pull', 'numbering', 'ghosts:zero first:negative places:zero places:more' // &
                   no_numbering), &
        collective('route_ghost_push', 'numbering', 'pushed:zero targets:unknown targets:more' // &
                   no_numbering), &
        collective('route_alltoallv', '', &
                   'send_counts:negative receive_counts:more send_counts:none'), &
        collective('route_save', 'self', 'self:none self:freed place:unknown'), &
        collective('route_load', '', 'place:unknown'), &
        collective('ghost_update_pull', of_rows, 'ghosts:zero offsets:none' // no_rows), &
        collective('ghost_update_push', of_rows, 'pushed:zero targets:more' // no_rows), &
        collective('ghost_update_along', 'route' // of_rows, 'route:none route:freed' // no_rows), &
        collective('ghost_update_like', 'other' // of_rows, 'other:none other:freed' // no_rows), &
        collective('exchange_bind', 'route fields.count fields.kind fields.values' // of_bind // &
                   ' others any_memory', &
                   'route:none route:freed fields:refused fields:short fields:narrow' // &
                   ' operation:unknown transport:unknown others:refused others:two others:kind' // &
                   ' others:shape others:any'), &
        collective('exchange_bind_ghost_update', 'update direction' // of_bind, &
                   'update:none update:freed operation:unknown direction:unknown'), &
        collective('exchange_bind_alltoall', 'fields.in_place fields.values' // of_alltoall // &
                   ' options.any_memory', &
                   no_blocks), &
        collective('exchange_bind_alltoallv', 'fields.values options.any_memory' // of_alltoall, &
                   'send_counts:negative receive_counts:none send_first:zero send_first:beyond' // &
                   no_blocks), &
        collective('transrank_alltoall', 'fields.in_place fields.values' // of_alltoall, &
                   no_blocks), &
        collective('exchange_bind of a grid', '', &
                   'shape:swapped shape:long shape:last shape:wide values:missing')]

    type :: objects
        type(transrank_layout) :: grid
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route  ! from 4 rows to one ghost
        type(transrank_ghost_update) :: update
    end type
    !> What calls are given, what is as good, what was freed elsewhere, and what was never made.
    type(objects), allocatable :: these(:)
    real(real64), target :: numbers(8, 3) = 0
    integer(int64), target :: integers(8, 2) = 0
    !> What is wrong on this rank.
    character(len=:), allocatable :: spoilt
    character(len=300) :: words
    integer :: i, bad, pairs, stat

    call begin()
    call make_objects()
    pairs = 0
    do i = 1, size(calls)
        call check_right()
        if (ranks > 1) call spoil(adjustl(calls(i)%agreed), .true.)
        call spoil(adjustl(calls(i)%wrong), .false.)
        call check_right()
    end do
    if (rank == 0) print '(i0,a)', pairs, ' pairs'
    trial = 0
    call refuse_here()
    call refuse_starts()
    call pass_sections()
    call break()
    deallocate (these)
    call MPI_Finalize()
    call come_late()

contains

    subroutine make_objects()
        type(transrank_distribution) :: along(1)
        type(transrank_fields) :: rows
        type(objects) :: copy
        spoilt = ''
        allocate (these(4))
        call along(1)%even(4 * ranks, ranks)
        call choose(rows, 'rows', 1)
        do i = 1, 3
            associate (it => these(i))
                call it%grid%grid(along, halo=[transrank_halo(1, 1, merge(0, 1, i == 2))])
                call it%numbering%create(comm, merge(4 + rank, 4, i == 2))
                call it%route%ghost_pull(comm, these(1)%numbering, [int(i, int64)])
                call it%update%pull(comm, rows, [int(i, int64)])
                copy%grid = it%grid
                copy%numbering = it%numbering
                copy%route = it%route
                copy%update = it%update
            end associate
        end do
        call copy%grid%free()
        call copy%numbering%free()
        call copy%route%free()
        call copy%update%free()
    end subroutine

    subroutine check_right()
        call make(calls(i)%name)
        call check(stat == transrank_ok, trim(calls(i)%name) // ' is right; ' // trim(words))
    end subroutine

    !> Each rank in turn passes each of these to the call. Where all are as good, rank 0 is named,
    !> whichever rank differs.
    recursive subroutine spoil(all, as_good)
        character(len=*), intent(in) :: all
        logical, intent(in) :: as_good
        integer :: n
        if (all == '') return
        if (as_good) pairs = pairs + 1
        n = index(all, ' ')
        do bad = 0, ranks - 1
            trial = 100 * i + bad
            if (rank == bad) spoilt = all(:n - 1)
            call make(calls(i)%name)
            spoilt = ''
            call check(stat == transrank_error_agreed .and. &
                       (index(words, ' 0') > 0 .or. .not. as_good), &
                       trim(calls(i)%name) // ', ' // all(:n) // ': ' // trim(words))
            call check(are_the_same(words), 'the same text on all ranks: ' // trim(words))
        end do
        call spoil(adjustl(all(n + 1:)), as_good)
    end subroutine

    logical function is(what)
        character(len=*), intent(in) :: what
        is = what == spoilt
    end function

    !> Of the objects, which one this rank passes.
    integer function which(argument)
        character(len=*), intent(in) :: argument
        which = 1
        if (is(argument)) which = 2
        if (is(argument // ':freed')) which = 3
        if (is(argument // ':none')) which = 4
    end function

    !> Four cells or rows, which go to a column of the arrays.
    subroutine choose(fields, name, column)
        type(transrank_fields), intent(out) :: fields
        character(len=*), intent(in) :: name
        integer, intent(in) :: column
        integer :: to, values, ignored
        to = merge(1, column, is(name // '.in_place'))
        values = merge(2, 1, is(name // '.values'))
        if (is(name // ':none')) return
        if (is(name // '.kind')) then
            call fields%add(integers(:4, 1), integers(:4, to))
        else if (is(name // ':refused')) then
            call fields%add(numbers(:3, 1), numbers(:3, to), values=2, stat=ignored)
        else if (is(name // ':strided')) then
            call fields%add(numbers(::2, 1), numbers(::2, to))
        else if (is(name // ':short')) then
            call fields%add(numbers(:ranks - 1, 1), numbers(:4, to))
        else if (is(name // ':narrow')) then
            call fields%add(numbers(:4, 1), numbers(:0, to))
        else
            call fields%add(numbers(:4 * values, 1), numbers(:4 * values, to), values)
        end if
        if (is(name // '.count') .or. is(name // ':two')) &
            call fields%add(numbers(:, 1), numbers(:, 3), values)
    end subroutine

    !> One set more; two, none, or one that is unlike the first.
    subroutine choose_others(others)
        type(transrank_fields), allocatable, intent(out) :: others(:)
        integer :: k, values, ignored
        if (is('any_memory')) return
        allocate (others(merge(2, 1, is('others'))))
        values = merge(2, 1, is('fields.values'))
        do k = 1, size(others)
            if (is('others:kind') .or. is('fields.kind')) then
                call others(k)%add(integers(5:, 1), integers(5:, 2))
            else if (is('others:shape')) then
                call others(k)%add(numbers(:2, :2), numbers(5:, 3))
            else if (is('others:refused')) then
                call others(k)%add(numbers(:3, 1), numbers(5:, 3), values=2, stat=ignored)
            else
                call others(k)%add(numbers(9 - 4 * values:, 1), numbers(9 - 4 * values:, 3), values)
            end if
        end do
        if (is('fields.count') .or. is('others:two')) &
            call others(1)%add(numbers(:, 1), numbers(:, 2), values)
    end subroutine

    function options()
        type(transrank_alltoall_options) :: options
        if (is('options.algorithm')) options%algorithm = 'pairwise'
        if (is('options.algorithm:unknown')) options%algorithm = 'nosuch'
        if (is('options.choices')) options%choices = 'choices'
        if (is('options.radix')) options%radix = 3
        if (is('options.window')) options%window = 9
        if (is('options.leaders')) options%leaders = 3
        if (is('options.ranks_per_node')) options%ranks_per_node = 1
        if (is('options.torus')) options%torus = [ranks]
        if (is('options.torus:negative')) options%torus = [-1]
        options%any_memory = is('options.any_memory')
    end function

    subroutine make(name)
        character(len=*), intent(in) :: name
        type(transrank_numbering) :: numbering
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        type(transrank_fields), allocatable :: others(:)
        integer(int64), allocatable :: places(:)
        type(transrank_exchange) :: exchange
        character(len=:), allocatable :: transport
        integer(int64) :: counts(ranks), received(ranks), first(ranks), longest
        integer :: operation, direction, r, targets(2)
        counts = merge(-1, 1, is('send_counts:negative'))
        received = merge(2, 1, is('receive_counts:more'))
        first = [(int(r, int64), r=1, ranks)]
        if (is('send_first:zero')) first(1) = 0
        if (is('send_first:beyond')) first(1) = 5
        targets = merge(99, 0, is('targets:unknown'))
        words = ''
        longest = merge(1001, 1000, is('longest_message_bytes'))
        operation = merge(transrank_max, transrank_add, is('operation'))
        if (is('operation:unknown')) operation = -1
        direction = merge(transrank_pull, transrank_push, is('direction'))
        if (is('direction:unknown')) direction = -1
        if (is('transport')) transport = 'message'
        if (is('transport:unknown')) transport = 'nosuch'
        call choose(fields, 'fields', 2)
        select case (name)
        case ('numbering_create')
            call numbering%create(comm, merge(-1, 4, is('owned:negative')), is('table'), stat, words)
        case ('route_halo')
            call route%halo(comm, these(which('grid'))%grid, .not. is('corners'), stat, words)
        case ('route_redistribution')
            call route%redistribution(comm, these(which('source'))%grid, &
                                      these(which('destination'))%grid, is('fill_halo'), &
                                      stat, words)
        case ('route_ghost_pull')
            if (is('places:zero')) places = [0_int64]
            if (is('places:more')) places = [1_int64, 1_int64]
            call route%ghost_pull(comm, these(which('numbering'))%numbering, row('ghosts'), &
                                  first=merge(-1_int64, 1_int64, is('first:negative')), &
                                  places=places, stat=stat, errmsg=words)
        case ('route_ghost_push')
            call route%ghost_push(comm, these(which('numbering'))%numbering, row('pushed'), &
                                  targets(:merge(2, 1, is('targets:more'))), stat=stat, &
                                  errmsg=words)
        case ('route_alltoallv')
            call route%alltoallv(comm, counts(:merge(0, ranks, is('send_counts:none'))), received, &
                                 stat=stat, errmsg=words)
        case ('route_save')
            call these(which('self'))%route%save( &
                comm, merge('/dev/null/it', 'saved       ', is('place:unknown')), stat, words)
        case ('route_load')
            call route%load(comm, merge('nowhere', 'saved  ', is('place:unknown')), stat, words)
        case ('exchange_bind')
            call choose_others(others)
            call exchange%bind(comm, these(which('route'))%route, fields, operation, transport, &
                               longest, others, is('any_memory') .or. is('others:any'), &
                               is('together'), stat, words)
        case ('exchange_bind_ghost_update')
            call exchange%bind_ghost_update(comm, these(which('update'))%update, direction, &
                                            operation, transport, longest, is('together'), &
                                            stat, words)
        case ('exchange_bind_alltoall')
            call exchange%bind_alltoall(comm, fields, options(), stat, words)
        case ('exchange_bind_alltoallv')
            call exchange%bind_alltoallv( &
                comm, fields, counts, received(:merge(0, ranks, is('receive_counts:none'))), first, &
                options=options(), stat=stat, errmsg=words)
        case ('transrank_alltoall')
            call transrank_alltoall(comm, fields, options(), stat, words)
        case ('exchange_bind of a grid')
            call bind_to_grid()
        case default
            call make_update(name)
        end select
    end subroutine

    !> The first row, or none that there is.
    function row(argument)
        character(len=*), intent(in) :: argument
        integer(int64) :: row(1)
        row = merge(0, 1, is(argument // ':zero'))
    end function

    !> And binds it: some of what ranks agree on is looked at then.
    subroutine make_update(name)
        character(len=*), intent(in) :: name
        integer(int64), parameter :: starts(5) = [1, 2, 3, 4, 5]
        integer, parameter :: targets(2) = 0
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: update
        type(transrank_exchange) :: exchange
        integer(int64), allocatable :: offsets(:)
        call choose(rows, 'rows', 1)
        if (is('offsets')) offsets = starts
        if (is('offsets:none')) offsets = starts(:0)
        associate (route => these(which('route'))%route, like => these(which('other'))%update, &
                   count => merge(2, 1, is('targets:more')))
            select case (trim(name) // merge(', uneven', '        ', allocated(offsets)))
            case ('ghost_update_pull')
                call update%pull(comm, rows, row('ghosts'), stat, words)
            case ('ghost_update_pull, uneven')
                call update%pull(comm, rows, row('ghosts'), offsets, stat, words)
            case ('ghost_update_push')
                call update%push(comm, rows, row('pushed'), targets(:count), stat, words)
            case ('ghost_update_push, uneven')
                call update%push(comm, rows, row('pushed'), targets(:1), offsets, stat, words)
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

    !> Two values in each of 6 x 5 cells, or another array of as many elements or more.
    subroutine bind_to_grid()
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
        select case (spoilt)
        case ('shape:swapped')
            call fields%add(swapped, swapped, values=2)
        case ('shape:long')
            call fields%add(longer, longer, values=2)
        case ('shape:last')
            call fields%add(last, last, values=2)
        case ('shape:wide')
            call fields%add(cells, wider, values=2)
        case ('values:missing')
            call fields%add(cells, cells)
        case default
            call fields%add(cells, cells, values=2)
            call fields%add(flat, flat, values=2)
            call fields%add(by_cells, by_cells, values=2)
            call fields%add(last(:, :, 2), last(:, :, 2))
        end select
        call exchange%bind(comm, route, fields, stat=stat, errmsg=words)
        if (is('shape:swapped')) &
            call check(index(words, ": field 1: the source has shape (2, 5, 6); this rank's array" // &
                             ' of this grid has shape (6, 5), halo included (local_shape), the' // &
                             ' fastest dimension in memory first; these dimensions are in the' // &
                             ' reverse order') > 0, trim(words))
        if (is('shape:wide')) &
            call check(index(words, 'the destination has shape (2, 7, 5)') > 0 .and. &
                       index(words, '; give one field per component, u(:, :, k)') > 0, trim(words))
    end subroutine

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
        real(real64), target :: other(5)
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
        call these(1)%numbering%place(0_int64, part, one, stat, words)
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
        call exchange%run_with(fields, stat, words)
        call refused('running it with fields')
        call exchange%test(done, stat, words)
        call refused('testing it')
        call exchange%wait_for(0.1_real64, done, stat, words)
        call refused('waiting for it a little')
        call exchange%abandon('nothing', stat, words)
        call refused('abandoning it')
        call check(exchange%explain() == '', 'nothing to explain')
    end subroutine

    !> What a start refuses has started nothing, and broken nothing.
    subroutine refuse_starts()
        type(transrank_route) :: route
        type(transrank_fields) :: bound, set, none, unlike(5), unbound
        type(transrank_exchange) :: sets, any_memory
        real(real64), target :: from(ranks), to(ranks, 3), longer(ranks + 1), strided(2 * ranks, 2)
        integer(int64), target :: whole(ranks, 2)
        integer(int64) :: counts(ranks)
        integer :: k
        from = rank
        counts = 1
        call route%alltoallv(comm, counts, counts)
        call bound%add(from, to(:, 1))
        call set%add(from, to(:, 2))
        call unlike(1)%add(whole(:, 1), whole(:, 2))
        call unlike(2)%add(longer, to(:, 1))
        call unlike(3)%add(from, to(:, 1))
        call unlike(3)%add(from, to(:, 2))
        call unlike(4)%add(from, to(:, 1), values=0, stat=stat)
        call unlike(5)%add(to(:, 1), to(:, 1))
        if (ranks > 1) call unlike(5)%add(strided(::2, 1), strided(::2, 2))
        call unbound%add(from, to(:, 3))
        call sets%bind(comm, route, bound, others=[set])
        call any_memory%bind(comm, route, bound, any_memory=.true.)
        do k = 1, size(unlike)
            call sets%start_with(unlike(k), stat, words)
            call refused('fields unlike those of sets')
            call any_memory%run_with(unlike(k), stat, words)
            call refused('fields unlike those of any memory')
        end do
        call sets%start_with(none, stat, words)
        call refused('no fields')
        call sets%start_with(unbound, stat, words)
        call check(index(words, 'are not those that were bound') > 0, 'another set')
        call refused('another set')
        call any_memory%start(stat, words)
        call check(index(words, 'no arrays are given') > 0, 'no arrays')
        call refused('any memory without arrays')
        to = -1
        call sets%run_with(set)
        call any_memory%start_with(unbound)
        call any_memory%wait()
        call check(all(nint(to(:, 1)) == -1), 'not moved')
        call check(all(nint(to(:, 2:)) == spread([(k, k=0, ranks - 1)], 2, 2)), 'moved')
    end subroutine

    !> Arrays of no dimension or of most, with bounds of their own, backwards; and what gfortran does
    !> not pass as it lies.
    subroutine pass_sections()
        type :: particle
            real(real64) :: mass, place
        end type
        type(transrank_route) :: route
        type(transrank_fields) :: fields, scalars
        type(transrank_exchange) :: exchange
        type(particle), target :: particles(8)
        integer, parameter :: many(15) = [2, 1, 3, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1]
        real(real64), target :: to(8), one = 5, other = 0
        real(real64), allocatable, target :: most(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
        integer(int64), target :: low(-5:4, 0:3), up(2, 12, -1:2)
        integer(int64) :: counts(ranks)
        integer :: k
        allocate (most(2, 1, 3, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 1, 1))
        most = reshape([(real(k, real64), k=1, size(most))], many)
        low = reshape([(k, k=1, size(low))], shape(low))
        up = -1
        counts = 0
        counts(rank + 1) = 8
        call route%alltoallv(comm, counts, counts)
        associate (it => most(2:1:-1, :, 3:1:-2, :, 2:, :, :, :, :, :, :, :, 2:2, :, :))
            call fields%add(it, to)
            call fields%add(low(4:-5:-3, ::2), up(2:2, 10:1:-3, 2:-1:-2))
            call exchange%bind(comm, route, fields)
            call exchange%run()
            call check(all(nint(to) == nint([it])), 'a section of 15 dimensions')
        end associate
        call check(all(up(2, 10:1:-3, 2:-1:-2) == low(4:-5:-3, ::2)) .and. count(up /= -1) == 8, &
                   'sections of arrays with other bounds')
        counts(rank + 1) = 1
        call route%alltoallv(comm, counts, counts)
        call scalars%add(one, other)
        call scalars%add(low(-1, 2), low(0, 3))
        call exchange%bind(comm, route, scalars)
        call exchange%run()
        call check(nint(other) == 5 .and. low(0, 3) == low(-1, 2), 'scalars')
        call fields%add(particles%place, to, stat=stat, errmsg=words)
        call check(index(words, 'component of an array of a derived type') > 0, 'a component')
        call refused('a component')
        call fields%add(to, particles(::2)%mass, stat=stat, errmsg=words)
        call refused('a component of every other element')
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
        real(real64), target :: from(ranks), to(ranks), other(3)
        integer(int64) :: counts(ranks)
        logical :: done
        counts = 1
        from = rank
        call route%alltoallv(comm, counts, counts)
        call fields%add(from, to)
        call wrong%add(other, to, 2, stat)
        if (rank > 0) wrong = fields
        call exchange%bind(comm, route, wrong, stat=stat, errmsg=words)
        call check(stat == transrank_error_agreed, 'fields that one rank was refused')
        call check(index(words, 'rank 0: a field has 3 elements to send from and ') == 1, &
                   'why: ' // trim(words))
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
