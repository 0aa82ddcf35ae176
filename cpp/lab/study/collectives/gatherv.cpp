// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Gatherv {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.counts,
                          call.displacements, call.datatype, call.root, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Gatherv(arguments...), "MPI_Gatherv");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Igatherv(arguments...), "MPI_Igatherv");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Gatherv_init(arguments...); }
    {
        mpi::check(MPI_Gatherv_init(arguments...), "MPI_Gatherv_init");
    }
};

}  // namespace

Collective gatherv() {
    return {.name = "gatherv",
            .flow = {.send = {.blocks = Blocks::one},
                     .receive = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root}},
            .displaced = true,
            .forms = forms_of<Gatherv>()};
}

}  // namespace transrank::lab::study::collectives
