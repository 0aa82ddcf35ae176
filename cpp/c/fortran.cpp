// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <tuple>

#include "c/calls.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

using namespace transrank;

namespace {

// Some MPIs abort when asked after MPI_Finalize; the functions refuse that themselves.
MPI_Comm of_c(MPI_Fint comm) {
    return mpi::is_usable() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

/// Calls a function of C, in whose texts of errors indices count from 1.
template <class... Parameters, class... Given>
int from_one(int (*call)(Parameters...), Given... given) {
    layout::first_index = 1;
    const int status = call(given...);
    layout::first_index = 0;
    return status;
}

/// The type of parameter `number` of a function.
template <std::size_t number, class... Parameters>
std::tuple_element_t<number, std::tuple<Parameters...>> parameter(int (*)(Parameters...));

}  // namespace

// Each is the function without _f: `more` parameters follow the first one, a communicator in TWIN.
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define PARAMETER(name, number) decltype(parameter<number>(transrank_##name)) p##number
#define PARAMETERS1(name) PARAMETER(name, 1)
#define PARAMETERS2(name) PARAMETERS1(name), PARAMETER(name, 2)
#define PARAMETERS3(name) PARAMETERS2(name), PARAMETER(name, 3)
#define PARAMETERS4(name) PARAMETERS3(name), PARAMETER(name, 4)
#define PARAMETERS5(name) PARAMETERS4(name), PARAMETER(name, 5)
#define PARAMETERS6(name) PARAMETERS5(name), PARAMETER(name, 6)
#define PARAMETERS7(name) PARAMETERS6(name), PARAMETER(name, 7)
#define PARAMETERS8(name) PARAMETERS7(name), PARAMETER(name, 8)
#define GIVEN1 p1
#define GIVEN2 GIVEN1, p2
#define GIVEN3 GIVEN2, p3
#define GIVEN4 GIVEN3, p4
#define GIVEN5 GIVEN4, p5
#define GIVEN6 GIVEN5, p6
#define GIVEN7 GIVEN6, p7
#define GIVEN8 GIVEN7, p8
#define TWIN(name, more)                                              \
    int transrank_##name##_f(MPI_Fint comm, PARAMETERS##more(name)) { \
        return from_one(transrank_##name, of_c(comm), GIVEN##more);   \
    }
#define TWIN_WITHOUT_COMMUNICATOR(name, more)                              \
    int transrank_##name##_f(PARAMETER(name, 0), PARAMETERS##more(name)) { \
        return from_one(transrank_##name, p0, GIVEN##more);                \
    }

extern "C" {
TWIN(numbering_create, 3)
TWIN(route_halo, 3)
TWIN(route_redistribution, 4)
TWIN(route_ghost_pull, 6)
TWIN(route_ghost_pull_at, 6)
TWIN(route_ghost_push, 6)
TWIN(route_alltoallv, 5)
TWIN(route_save, 2)
TWIN(route_load, 2)
TWIN(exchange_bind, 5)
TWIN(ghost_update_pull, 4)
TWIN(ghost_update_push, 5)
TWIN(ghost_update_along, 3)
TWIN(ghost_update_like, 3)
TWIN(ghost_update_bind, 4)
TWIN(alltoall_bind, 5)
TWIN(alltoallv_bind, 8)
TWIN(alltoall, 4)
TWIN_WITHOUT_COMMUNICATOR(distribution_owner, 3)
TWIN_WITHOUT_COMMUNICATOR(layout_grid, 3)
TWIN_WITHOUT_COMMUNICATOR(layout_box, 3)
TWIN_WITHOUT_COMMUNICATOR(numbering_index, 3)
TWIN_WITHOUT_COMMUNICATOR(numbering_place, 3)
TWIN_WITHOUT_COMMUNICATOR(exchange_explain, 1)
TWIN_WITHOUT_COMMUNICATOR(exchange_start_with, 2)
TWIN_WITHOUT_COMMUNICATOR(exchange_run_with, 2)
}
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

int transrank_comm_size_f(MPI_Fint given, int* ranks) {
    return c::attempt([&] {
        mpi::require_communicator(of_c(given));
        *c::Arguments().pointer(ranks, "the place of the ranks") = c::ranks_of(of_c(given));
    });
}
