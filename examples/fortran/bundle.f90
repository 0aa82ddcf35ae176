! SPDX-License-Identifier: BSD-3-Clause
! A bundle of fields moves from blocks of columns to blocks of rows, as between coupled models.
!     mpiexec -n 4 ./bundle
program bundle
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init
    use transrank
    implicit none (type, external)
    integer, parameter :: nx = 64, ny = 32
    integer :: rank, ranks

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call redistribute()
    call MPI_Finalize()

contains

    subroutine redistribute()
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: columns, rows
        type(transrank_route) :: route
        type(transrank_fields) :: fields, eastward, northward
        type(transrank_exchange) :: exchange, component
        real(real64), allocatable, target :: temperature(:, :), temperature_after(:, :)
        real(real64), allocatable, target :: wind(:, :, :), wind_after(:, :, :), speed(:, :)
        integer(int64) :: first(2), last(2)
        logical :: right
        integer :: i, j

        call along(1)%even(nx, 1)
        call along(2)%even(ny, ranks)
        call columns%grid(along)
        call along(1)%even(nx, ranks)
        call along(2)%even(ny, 1)
        call rows%grid(along)

        call columns%box(rank, first, last)
        allocate (temperature(first(1):last(1), first(2):last(2)))
        allocate (wind(3, first(1):last(1), first(2):last(2)))
        do j = int(first(2)), int(last(2))
            do i = int(first(1)), int(last(1))
                temperature(i, j) = 1000 * i + j
                wind(:, i, j) = [i, j, i * j]
            end do
        end do
        call rows%box(rank, first, last)
        allocate (temperature_after(first(1):last(1), first(2):last(2)))
        allocate (wind_after(3, first(1):last(1), first(2):last(2)))
        allocate (speed(first(1):last(1), first(2):last(2)))

        call route%redistribution(MPI_COMM_WORLD%MPI_VAL, columns, rows)
        call fields%add(temperature, temperature_after)
        call fields%add(wind, wind_after, values=3)  ! of each cell
        call exchange%bind(MPI_COMM_WORLD%MPI_VAL, route, fields)
        call exchange%run()  ! in each step; or start, compute, wait

        ! One component of the wind: sections, and two sets of arrays of which a start moves one.
        call eastward%add(wind(1, :, :), speed)
        call northward%add(wind(2, :, :), speed)
        call component%bind(MPI_COMM_WORLD%MPI_VAL, route, eastward, others=[northward])
        call component%run_with(northward)

        right = .true.
        do j = int(first(2)), int(last(2))
            do i = int(first(1)), int(last(1))
                right = right .and. nint(temperature_after(i, j)) == 1000 * i + j
                right = right .and. all(nint(wind_after(:, i, j)) == [i, j, i * j])
                right = right .and. nint(speed(i, j)) == j
            end do
        end do
        print '(a,i0,a,i0,a)', 'rank ', rank, ' of ', ranks, merge(': right', ': wrong', right)
        if (.not. right) error stop
    end subroutine

end program bundle
