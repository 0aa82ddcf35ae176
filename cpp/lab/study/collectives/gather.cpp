// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Gather {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.count,
                          call.datatype, call.root, call.comm);
    }
    static void blocking(auto... arguments) { mpi::check(MPI_Gather(arguments...), "MPI_Gather"); }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Igather(arguments...), "MPI_Igather");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Gather_init(arguments...); }
    {
        mpi::check(MPI_Gather_init(arguments...), "MPI_Gather_init");
    }
};

}  // namespace

Collective gather() {
    return {.name = "gather",
            .flow = {.send = {.blocks = Blocks::one},
                     .receive = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root}},
            .forms = forms_of<Gather>()};
}

}  // namespace transrank::lab::study::collectives
