// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Allgather {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.count,
                          call.datatype, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Allgather(arguments...), "MPI_Allgather");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Iallgather(arguments...), "MPI_Iallgather");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Allgather_init(arguments...); }
    {
        mpi::check(MPI_Allgather_init(arguments...), "MPI_Allgather_init");
    }
};

}  // namespace

Collective allgather() {
    return {.name = "allgather",
            .flow = {.send = {.blocks = Blocks::one}, .receive = {.blocks = Blocks::one_per_rank}},
            .forms = forms_of<Allgather>()};
}

}  // namespace transrank::lab::study::collectives
