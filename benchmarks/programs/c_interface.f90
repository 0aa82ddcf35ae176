! SPDX-License-Identifier: BSD-3-Clause
!> What c_interface.cpp measures, through the Fortran module. Lives as long as the process.
module c_interface_in_fortran
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t
    use, intrinsic :: iso_fortran_env, only: int8, int64, real64
    use transrank
    implicit none (type, external)
    private
    type(transrank_memory), save :: memory(5)
    type(transrank_exchange), save :: update, redistribution, alltoall

contains

    subroutine bind_ghost_update(comm, owned, length, count, ghosts) &
            bind(c, name='bind_ghost_update')
        integer(c_int), value :: comm
        integer(c_int64_t), value :: owned, length, count
        integer(c_int64_t), intent(in) :: ghosts(count)
        type(transrank_fields) :: rows
        type(transrank_ghost_update) :: made
        real(real64), pointer, contiguous :: values(:, :)
        call memory(1)%allocate(8 * owned * length)
        call c_f_pointer(memory(1)%address, values, [length, owned])
        call rows%add(values, values, values=int(length))
        call made%pull(comm, rows, ghosts + 1)
        call update%bind_ghost_update(comm, made, transrank_pull)
    end subroutine

    subroutine run_ghost_update(count) bind(c, name='run_ghost_update')
        integer(c_int), value :: count
        integer :: i
        do i = 1, count
            call update%run()
        end do
    end subroutine

    !> Of a matrix that C sees as rows times columns, from rows to columns.
    subroutine bind_redistribution(comm, ranks, rows, columns) bind(c, name='bind_redistribution')
        integer(c_int), value :: comm, ranks, rows, columns
        type(transrank_distribution) :: along(2)
        type(transrank_layout) :: by_rows, by_columns
        type(transrank_route) :: route
        type(transrank_fields) :: fields
        real(real64), pointer, contiguous :: from(:), to(:)
        integer(int64) :: cells(2)
        call along(1)%even(columns, 1)
        call along(2)%even(rows, ranks)
        call by_rows%grid(along)
        call along(1)%even(columns, ranks)
        call along(2)%even(rows, 1)
        call by_columns%grid(along)
        call route%redistribution(comm, by_rows, by_columns)
        call route%extents(cells(1), cells(2))
        call memory(2)%allocate(8 * cells(1))
        call memory(3)%allocate(8 * cells(2))
        call c_f_pointer(memory(2)%address, from, cells(1:1))
        call c_f_pointer(memory(3)%address, to, cells(2:2))
        call fields%add(from, to)
        call redistribution%bind(comm, route, fields)
    end subroutine

    subroutine run_redistribution(count) bind(c, name='run_redistribution')
        integer(c_int), value :: count
        integer :: i
        do i = 1, count
            call redistribution%run()
        end do
    end subroutine

    subroutine bind_alltoall(comm, ranks, block_bytes) bind(c, name='bind_alltoall')
        integer(c_int), value :: comm, ranks
        integer(c_int64_t), value :: block_bytes
        type(transrank_fields) :: fields
        integer(int8), pointer, contiguous :: send(:), receive(:)
        call memory(4)%allocate(block_bytes * ranks)
        call memory(5)%allocate(block_bytes * ranks)
        call c_f_pointer(memory(4)%address, send, [block_bytes * ranks])
        call c_f_pointer(memory(5)%address, receive, [block_bytes * ranks])
        call fields%add(send, receive, values=int(block_bytes))
        call alltoall%bind_alltoall(comm, fields)
    end subroutine

    subroutine run_alltoall(count) bind(c, name='run_alltoall')
        integer(c_int), value :: count
        integer :: i
        do i = 1, count
            call alltoall%run()
        end do
    end subroutine

end module c_interface_in_fortran
