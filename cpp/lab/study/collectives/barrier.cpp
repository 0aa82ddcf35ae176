// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

struct Barrier {
    static auto arguments(const Call& call) { return std::tuple(call.comm); }
    static void blocking(auto... arguments) {
        mpi::check(MPI_Barrier(arguments...), "MPI_Barrier");
    }
    static void nonblocking(auto... arguments) {
        mpi::check(MPI_Ibarrier(arguments...), "MPI_Ibarrier");
    }
    static void persistent(auto... arguments)
        requires requires { MPI_Barrier_init(arguments...); }
    {
        mpi::check(MPI_Barrier_init(arguments...), "MPI_Barrier_init");
    }
};

}  // namespace

Collective barrier() {
    return {.name = "barrier", .flow = {}, .forms = forms_of<Barrier>()};
}

}  // namespace transrank::lab::study::collectives
