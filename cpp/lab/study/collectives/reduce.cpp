// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Reduce {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.receive, call.count, call.datatype, MPI_SUM, call.root,
                          call.comm);
    }
    static void blocking(auto... arguments) { mpi::check(MPI_Reduce(arguments...), "MPI_Reduce"); }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Ireduce(arguments...), "MPI_Ireduce");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Reduce_init(arguments...); }
    {
        mpi::check(MPI_Reduce_init(arguments...), "MPI_Reduce_init");
    }
};

}  // namespace

Collective reduce() {
    return {.name = "reduce",
            .flow = {.send = {.blocks = Blocks::one},
                     .receive = {.blocks = Blocks::one, .ranks = Ranks::root},
                     .reduces = true},
            .forms = forms_of<Reduce>()};
}

}  // namespace transrank::lab::study::collectives
