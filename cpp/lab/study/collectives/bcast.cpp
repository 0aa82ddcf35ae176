// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Bcast {
    // The root keeps its payload: what it receives as another root's peer goes elsewhere.
    static auto arguments(const Call& call) {
        return std::tuple(call.rank == call.root ? call.send : call.receive, call.count,
                          call.datatype, call.root, call.comm);
    }
    static void blocking(auto... arguments) { mpi::check(MPI_Bcast(arguments...), "MPI_Bcast"); }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Ibcast(arguments...), "MPI_Ibcast");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Bcast_init(arguments...); }
    {
        mpi::check(MPI_Bcast_init(arguments...), "MPI_Bcast_init");
    }
};

}  // namespace

Collective bcast() {
    return {.name = "bcast",
            .flow = {.send = {.blocks = Blocks::one, .ranks = Ranks::root},
                     .receive = {.blocks = Blocks::one, .ranks = Ranks::all_but_root}},
            .forms = forms_of<Bcast>()};
}

}  // namespace transrank::lab::study::collectives
