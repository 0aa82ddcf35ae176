// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Alltoall {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.count,
                          call.datatype, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Alltoall(arguments...), "MPI_Alltoall");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Ialltoall(arguments...), "MPI_Ialltoall");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Alltoall_init(arguments...); }
    {
        mpi::check(MPI_Alltoall_init(arguments...), "MPI_Alltoall_init");
    }
};

}  // namespace

Collective alltoall() {
    return {.name = "alltoall",
            .flow = {.send = {.blocks = Blocks::one_per_rank},
                     .receive = {.blocks = Blocks::one_per_rank}},
            .forms = forms_of<Alltoall>()};
}

}  // namespace transrank::lab::study::collectives
