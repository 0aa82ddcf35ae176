// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Allreduce {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.receive, call.count, call.datatype, MPI_SUM, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Allreduce(arguments...), "MPI_Allreduce");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Iallreduce(arguments...), "MPI_Iallreduce");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Allreduce_init(arguments...); }
    {
        mpi::check(MPI_Allreduce_init(arguments...), "MPI_Allreduce_init");
    }
};

}  // namespace

Collective allreduce() {
    return {.name = "allreduce",
            .flow = {.send = {.blocks = Blocks::one},
                     .receive = {.blocks = Blocks::one},
                     .reduces = true},
            .forms = forms_of<Allreduce>()};
}

}  // namespace transrank::lab::study::collectives
