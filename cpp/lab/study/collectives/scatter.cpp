// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Scatter {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.count,
                          call.datatype, call.root, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Scatter(arguments...), "MPI_Scatter");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Iscatter(arguments...), "MPI_Iscatter");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Scatter_init(arguments...); }
    {
        mpi::check(MPI_Scatter_init(arguments...), "MPI_Scatter_init");
    }
};

}  // namespace

Collective scatter() {
    return {.name = "scatter",
            .flow = {.send = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root},
                     .receive = {.blocks = Blocks::one}},
            .forms = forms_of<Scatter>()};
}

}  // namespace transrank::lab::study::collectives
