! SPDX-License-Identifier: BSD-3-Clause
!> What the test programs have in common.
module testing
    use, intrinsic :: iso_fortran_env, only: int8
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Init
    use transrank, only: transrank_alltoall, transrank_fields
    implicit none (type, external)
    integer :: rank, ranks, comm, trial = 0

contains

    subroutine begin()
        call MPI_Init()
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks)
        comm = MPI_COMM_WORLD%MPI_VAL
    end subroutine

    subroutine check(condition, what)
        logical, intent(in) :: condition
        character(len=*), intent(in) :: what
        if (.not. condition) then
            print '(a,i0,a,i0,2a)', 'trial ', trial, ', rank ', rank, ': not true: ', what
            error stop
        end if
    end subroutine

    !> Collective. Whether it is so on all ranks, and says something.
    logical function are_the_same(words)
        character(len=*), intent(in) :: words
        type(transrank_fields) :: fields
        integer(int8), target :: sent(len(words), ranks), got(len(words), ranks)
        integer :: i, r
        do i = 1, len(words)
            sent(i, :) = int(mod(ichar(words(i:i)), 128), int8)
        end do
        call fields%add(sent, got, values=len(words))
        call transrank_alltoall(comm, fields)
        are_the_same = len_trim(words) > 10 .and. all([(all(got(:, r) == got(:, 1)), r=1, ranks)])
    end function

end module testing
