! SPDX-License-Identifier: BSD-3-Clause
! The recipes of docs/recipes.md in Fortran: each procedure has the lines of one, and looks whether
! what they move is right. bundle, gather_scatter and shallow_water have the others.
!     mpiexec -n 4 ./recipes
program recipes
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init
    use transrank
    implicit none (type, external)
    integer, parameter :: nx = 64, ny = 48
    integer :: rank, ranks, comm
    logical :: right = .true.

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    comm = MPI_COMM_WORLD%MPI_VAL
    call halo_of_a_grid()
    call alltoall()
    print '(a,i0,a,i0,a)', 'rank ', rank, ' of ', ranks, merge(': right', ': wrong', right)
    call MPI_Finalize()
    if (.not. right) error stop

contains

    subroutine halo_of_a_grid()
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: grid
        type(transrank_route) :: route, star_route
        type(transrank_fields) :: fields, several, level
        type(transrank_exchange) :: halo, star, together, section
        real(real64), allocatable, target :: u(:, :), ice(:, :), wind(:, :, :), levels(:, :, :)
        integer(int64) :: n(2)
        real(real64) :: below, above
        integer :: step

        call along(1)%even(nx, 1)
        call along(2)%even(ny, ranks)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1), transrank_halo(1, 1, 1)])
        call grid%local_shape(rank, n)  ! halo included
        allocate (u(n(1), n(2)), source=0.0_real64)
        call route%halo(comm, grid)
        call fields%add(u, u)
        call halo%bind(comm, route, fields)
        call halo%run()  ! in each step

        below = modulo(rank - 1, ranks)
        above = modulo(rank + 1, ranks)
        do step = 1, 10
            u = 100 * step + rank
            call halo%start()
            ! compute what needs no halo, and does not change u
            call halo%wait()
            right = right .and. all(nint(u(:, 1)) == 100 * step + nint(below))
            right = right .and. all(nint(u(:, n(2))) == 100 * step + nint(above))
        end do

        u = rank
        call star_route%halo(comm, grid, corners=.false.)
        call star%bind(comm, star_route, fields)
        call star%run()
        right = right .and. all(nint(u(2:n(1) - 1, 1)) == nint(below)) .and. nint(u(1, 1)) == rank

        allocate (ice(n(1), n(2)), wind(3, n(1), n(2)), levels(n(1), n(2), 5))
        ice = rank
        wind = rank
        levels = rank
        call several%add(ice, ice)
        call several%add(wind, wind, values=3)  ! of each cell; they come first
        call together%bind(comm, route, several)
        call together%run()
        right = right .and. all(nint(ice(:, 1)) == nint(below))
        right = right .and. all(nint(wind(:, :, n(2))) == nint(above))
        call level%add(levels(:, :, 4), levels(:, :, 4))  ! a section, where it lies
        call section%bind(comm, route, level)
        call section%run()
        right = right .and. all(nint(levels(:, 1, 4)) == nint(below))
        right = right .and. all(nint(levels(:, :, 3)) == rank)
    end subroutine

    subroutine alltoall()
        type(transrank_fields) :: equal, uneven
        type(transrank_exchange) :: exchange
        real(real64), target :: send(ranks), receive(ranks)
        real(real64), allocatable, target :: sent(:), received(:)
        integer(int64) :: counts(ranks)
        integer :: peer

        send = rank
        call equal%add(send, receive)
        call transrank_alltoall(comm, equal)
        right = right .and. all(nint(receive) == [(peer, peer=0, ranks - 1)])

        counts = [(rank + peer + 1, peer=0, ranks - 1)]
        allocate (sent(sum(counts)), received(sum(counts)))
        sent = rank
        call uneven%add(sent, received)
        call exchange%bind_alltoallv(comm, uneven, counts, counts)
        call exchange%run()
        do peer = 0, ranks - 1
            right = right .and. nint(received(sum(counts(:peer)) + 1)) == peer
            right = right .and. nint(received(sum(counts(:peer + 1)))) == peer
        end do
    end subroutine

end program recipes
