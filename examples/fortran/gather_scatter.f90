! SPDX-License-Identifier: BSD-3-Clause
! Vertices that several ranks use: values are fetched from their owners, and what each rank adds to
! its copies is added up at the owners.
!     mpiexec -n 4 ./gather_scatter
program gather_scatter
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Comm_rank, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init
    use transrank
    implicit none (type, external)
    integer, parameter :: owned = 1000, used = 20
    integer :: rank, ranks

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call assemble()
    call MPI_Finalize()

contains

    subroutine assemble()
        type(transrank_numbering) :: numbering
        type(transrank_route) :: to_copies, to_owners
        type(transrank_fields) :: down, up
        type(transrank_exchange) :: gather, scatter
        real(real64), target :: vertices(3, owned), copies(3, used)
        integer(int64) :: wanted(used)
        integer :: i, next, step
        logical :: right

        ! The first vertices of the next rank, by their global numbers.
        next = modulo(rank + 1, ranks)
        wanted = [(int(owned, int64) * next + i, i=1, used)]
        call numbering%create(MPI_COMM_WORLD%MPI_VAL, owned)
        call to_copies%ghost_pull(MPI_COMM_WORLD%MPI_VAL, numbering, wanted)
        call to_owners%transposed(to_copies)

        call down%add(vertices, copies, values=3)
        call up%add(copies, vertices, values=3)
        call gather%bind(MPI_COMM_WORLD%MPI_VAL, to_copies, down)
        call scatter%bind(MPI_COMM_WORLD%MPI_VAL, to_owners, up, operation=transrank_add)

        right = .true.
        do step = 1, 10
            vertices = 100 * rank + step
            call gather%run()
            right = right .and. all(nint(copies) == 100 * next + step)
            copies = 5
            call scatter%run()
            right = right .and. all(nint(vertices(:, :used)) == 100 * rank + step + 5)
            right = right .and. all(nint(vertices(:, used + 1:)) == 100 * rank + step)
        end do
        print '(a,i0,a,i0,a)', 'rank ', rank, ' of ', ranks, merge(': right', ': wrong', right)
        if (.not. right) error stop
    end subroutine

end program gather_scatter
