! SPDX-License-Identifier: BSD-3-Clause
!> Stands in for the module mpi_f08 where an MPI has none (wheels of MPI have no Fortran): as much of
!> it as examples and tests need, with communicator.c.
module mpi_f08
    use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
    implicit none (type, external)
    private
    public :: MPI_Init, MPI_Finalize, MPI_Comm_rank, MPI_Comm_size

    type, bind(c), public :: MPI_Comm
        integer(c_int) :: MPI_VAL
    end type
    type(MPI_Comm), public, protected :: MPI_COMM_WORLD

    interface
        function c_init(argc, argv) bind(c, name='MPI_Init') result(status)
            import :: c_int, c_ptr
            type(c_ptr), value :: argc, argv
            integer(c_int) :: status
        end function
        function c_finalize() bind(c, name='MPI_Finalize') result(status)
            import :: c_int
            integer(c_int) :: status
        end function
        subroutine describe_world(comm, rank, ranks) bind(c, name='describe_world')
            import :: c_int
            integer(c_int), intent(out) :: comm, rank, ranks
        end subroutine
    end interface
    integer(c_int) :: own_rank, all_ranks

contains

    subroutine MPI_Init()
        if (c_init(c_null_ptr, c_null_ptr) /= 0) error stop 'MPI_Init has failed'
        call describe_world(MPI_COMM_WORLD%MPI_VAL, own_rank, all_ranks)
    end subroutine

    subroutine MPI_Finalize()
        if (c_finalize() /= 0) error stop 'MPI_Finalize has failed'
    end subroutine

    subroutine MPI_Comm_rank(comm, rank)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(out) :: rank
        if (comm%MPI_VAL /= MPI_COMM_WORLD%MPI_VAL) error stop 'only MPI_COMM_WORLD is known here'
        rank = own_rank
    end subroutine

    subroutine MPI_Comm_size(comm, size)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(out) :: size
        if (comm%MPI_VAL /= MPI_COMM_WORLD%MPI_VAL) error stop 'only MPI_COMM_WORLD is known here'
        size = all_ranks
    end subroutine

end module mpi_f08
