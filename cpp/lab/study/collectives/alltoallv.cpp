// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Alltoallv {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.counts, call.displacements, call.datatype, call.receive,
                          call.counts, call.displacements, call.datatype, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Alltoallv(arguments...), "MPI_Alltoallv");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Ialltoallv(arguments...), "MPI_Ialltoallv");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Alltoallv_init(arguments...); }
    {
        mpi::check(MPI_Alltoallv_init(arguments...), "MPI_Alltoallv_init");
    }
};

}  // namespace

Collective alltoallv() {
    return {.name = "alltoallv",
            .flow = {.send = {.blocks = Blocks::one_per_rank},
                     .receive = {.blocks = Blocks::one_per_rank}},
            .displaced = true,
            .forms = forms_of<Alltoallv>()};
}

}  // namespace transrank::lab::study::collectives
