// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Scatterv {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.counts, call.displacements, call.datatype, call.receive,
                          call.count, call.datatype, call.root, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Scatterv(arguments...), "MPI_Scatterv");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Iscatterv(arguments...), "MPI_Iscatterv");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Scatterv_init(arguments...); }
    {
        mpi::check(MPI_Scatterv_init(arguments...), "MPI_Scatterv_init");
    }
};

}  // namespace

Collective scatterv() {
    return {.name = "scatterv",
            .flow = {.send = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root},
                     .receive = {.blocks = Blocks::one}},
            .displaced = true,
            .forms = forms_of<Scatterv>()};
}

}  // namespace transrank::lab::study::collectives
