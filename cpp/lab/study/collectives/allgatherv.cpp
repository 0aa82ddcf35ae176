// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Allgatherv {
    static auto arguments(const Call& call) {
        return std::tuple(call.send, call.count, call.datatype, call.receive, call.counts,
                          call.displacements, call.datatype, call.comm);
    }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Allgatherv(arguments...), "MPI_Allgatherv");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Iallgatherv(arguments...), "MPI_Iallgatherv");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Allgatherv_init(arguments...); }
    {
        mpi::check(MPI_Allgatherv_init(arguments...), "MPI_Allgatherv_init");
    }
};

}  // namespace

Collective allgatherv() {
    return {.name = "allgatherv",
            .flow = {.send = {.blocks = Blocks::one}, .receive = {.blocks = Blocks::one_per_rank}},
            .displaced = true,
            .forms = forms_of<Allgatherv>()};
}

}  // namespace transrank::lab::study::collectives
