! SPDX-License-Identifier: BSD-3-Clause
! Shallow water on a periodic square: depth and two momenta, whose halos go in one message.
!     mpiexec -n 4 ./shallow_water
program shallow_water
    use, intrinsic :: iso_c_binding, only: c_f_pointer
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init
    use transrank
    implicit none (type, external)
    integer, parameter :: n = 48, steps = 20
    real(real64), parameter :: gravity = 9.81_real64, dt_by_dx = 0.1_real64
    integer :: rank, ranks

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call simulate()
    call MPI_Finalize()

contains

    ! All objects are freed where this returns, before MPI_Finalize.
    subroutine simulate()
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: grid, whole
        type(transrank_route) :: route, to_first
        type(transrank_memory) :: memory(3)
        type(transrank_fields) :: fields, gathered
        type(transrank_exchange) :: update, gather
        real(real64), pointer, contiguous :: depth(:, :), mx(:, :), my(:, :)
        real(real64), allocatable, target :: all_depths(:, :)
        integer(int64) :: first(2), last(2), lengths(2)
        integer :: f, i, j, step

        ! Who owns what: columns of the square are divided, one halo cell on all sides.
        call along(1)%even(n, 1)
        call along(2)%even(n, ranks)
        call grid%grid(along, halo=[transrank_halo(1, 1, 1), transrank_halo(1, 1, 1)])
        call grid%box(rank, first, last)
        call grid%local_shape(rank, lengths)

        ! Three arrays in memory that the other ranks of the node can read.
        do f = 1, 3
            call memory(f)%allocate(8 * product(lengths))
        end do
        call c_f_pointer(memory(1)%address, depth, lengths)
        call c_f_pointer(memory(2)%address, mx, lengths)
        call c_f_pointer(memory(3)%address, my, lengths)

        ! One exchange of all three.
        call route%halo(MPI_COMM_WORLD%MPI_VAL, grid, corners=.false.)
        call fields%add(depth, depth)
        call fields%add(mx, mx)
        call fields%add(my, my)
        call update%bind(MPI_COMM_WORLD%MPI_VAL, route, fields)

        do j = 2, int(lengths(2)) - 1
            do i = 2, int(lengths(1)) - 1
                depth(i, j) = 1 + merge(0.1_real64, 0.0_real64, i < 12 .and. first(2) + j - 2 < 12)
            end do
        end do
        do step = 1, steps
            call update%start()
            ! compute what needs no halo
            call update%wait()
            call advance(depth, mx, my)
        end do

        ! The whole square on rank 0.
        call along(2)%even(n, 1)
        call whole%grid(along)
        call to_first%redistribution(MPI_COMM_WORLD%MPI_VAL, grid, whole)
        allocate (all_depths(merge(n, 0, rank == 0), merge(n, 0, rank == 0)), source=0.0_real64)
        call gathered%add(depth, all_depths)
        call gather%bind(MPI_COMM_WORLD%MPI_VAL, to_first, gathered)
        call gather%run()
        if (rank == 0) then
            print '(a,i0,a,f0.6,a,f0.6)', 'after ', steps, ' steps: water ', sum(all_depths), &
                ', highest ', maxval(all_depths)
        end if
    end subroutine

    ! A step of Lax and Friedrichs on the owned cells.
    subroutine advance(h, u, v)
        real(real64), intent(inout) :: h(:, :), u(:, :), v(:, :)
        real(real64), dimension(size(h, 1), size(h, 2)) :: x, y, z
        integer :: i, j
        x = h
        y = u
        z = v
        do j = 2, size(h, 2) - 1
            do i = 2, size(h, 1) - 1
                h(i, j) = mean(x, i, j) - dt_by_dx / 2 * (y(i + 1, j) - y(i - 1, j) &
                                                          + z(i, j + 1) - z(i, j - 1))
                u(i, j) = mean(y, i, j) - dt_by_dx / 2 * &
                    (flux(x, y, y, i + 1, j) + head(x, i + 1, j) - flux(x, y, y, i - 1, j) &
                     - head(x, i - 1, j) + flux(x, y, z, i, j + 1) - flux(x, y, z, i, j - 1))
                v(i, j) = mean(z, i, j) - dt_by_dx / 2 * &
                    (flux(x, z, z, i, j + 1) + head(x, i, j + 1) - flux(x, z, z, i, j - 1) &
                     - head(x, i, j - 1) + flux(x, y, z, i + 1, j) - flux(x, y, z, i - 1, j))
            end do
        end do
    end subroutine

    pure real(real64) function mean(a, i, j)
        real(real64), intent(in) :: a(:, :)
        integer, intent(in) :: i, j
        mean = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) / 4
    end function

    pure real(real64) function flux(h, a, b, i, j)
        real(real64), intent(in) :: h(:, :), a(:, :), b(:, :)
        integer, intent(in) :: i, j
        flux = a(i, j) * b(i, j) / h(i, j)
    end function

    pure real(real64) function head(h, i, j)
        real(real64), intent(in) :: h(:, :)
        integer, intent(in) :: i, j
        head = gravity * h(i, j)**2 / 2
    end function

end program shallow_water
