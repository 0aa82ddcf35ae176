// SPDX-License-Identifier: BSD-3-Clause
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

}  // namespace

// Each is the function without _f.

int transrank_comm_size_f(MPI_Fint given, int* ranks) {
    return c::attempt([&] {
        const MPI_Comm comm = of_c(given);
        mpi::require_communicator(comm);
        mpi::check(MPI_Comm_size(comm, c::Arguments().pointer(ranks, "the place of the ranks")),
                   "MPI_Comm_size");
    });
}

int transrank_numbering_create_f(MPI_Fint comm, int64_t owned, int table,
                                 transrank_numbering** numbering) {
    return from_one(transrank_numbering_create, of_c(comm), owned, table, numbering);
}

int transrank_route_halo_f(MPI_Fint comm, const transrank_layout* grid, int corners,
                           transrank_route** route) {
    return from_one(transrank_route_halo, of_c(comm), grid, corners, route);
}

int transrank_route_redistribution_f(MPI_Fint comm, const transrank_layout* source,
                                     const transrank_layout* destination, int coverage,
                                     transrank_route** route) {
    return from_one(transrank_route_redistribution, of_c(comm), source, destination, coverage,
                    route);
}

int transrank_route_ghost_pull_f(MPI_Fint comm, const transrank_numbering* numbering, int64_t count,
                                 const int64_t* ghosts, int64_t begin, int64_t extent,
                                 transrank_route** route) {
    return from_one(transrank_route_ghost_pull, of_c(comm), numbering, count, ghosts, begin, extent,
                    route);
}

int transrank_route_ghost_push_f(MPI_Fint comm, const transrank_numbering* numbering, int64_t count,
                                 const int64_t* rows, const int* targets, int64_t begin,
                                 transrank_route** route) {
    return from_one(transrank_route_ghost_push, of_c(comm), numbering, count, rows, targets, begin,
                    route);
}

int transrank_route_alltoallv_f(MPI_Fint comm, const int64_t* send_counts,
                                const int64_t* send_displacements, const int64_t* receive_counts,
                                const int64_t* receive_displacements, transrank_route** route) {
    return from_one(transrank_route_alltoallv, of_c(comm), send_counts, send_displacements,
                    receive_counts, receive_displacements, route);
}

int transrank_route_save_f(MPI_Fint comm, const transrank_route* route, const char* place) {
    return from_one(transrank_route_save, of_c(comm), route, place);
}

int transrank_route_load_f(MPI_Fint comm, const char* place, transrank_route** route) {
    return from_one(transrank_route_load, of_c(comm), place, route);
}

int transrank_exchange_bind_f(MPI_Fint comm, const transrank_route* route, int count,
                              const transrank_field* fields, const transrank_options* options,
                              transrank_exchange** exchange) {
    return from_one(transrank_exchange_bind, of_c(comm), route, count, fields, options, exchange);
}

int transrank_ghost_update_pull_f(MPI_Fint comm, const transrank_rows* rows, int64_t count,
                                  const int64_t* ghosts, transrank_ghost_update** update) {
    return from_one(transrank_ghost_update_pull, of_c(comm), rows, count, ghosts, update);
}

int transrank_ghost_update_push_f(MPI_Fint comm, const transrank_rows* rows, int64_t count,
                                  const int64_t* pushed, const int* targets,
                                  transrank_ghost_update** update) {
    return from_one(transrank_ghost_update_push, of_c(comm), rows, count, pushed, targets, update);
}

int transrank_ghost_update_along_f(MPI_Fint comm, const transrank_rows* rows,
                                   const transrank_route* route, transrank_ghost_update** update) {
    return from_one(transrank_ghost_update_along, of_c(comm), rows, route, update);
}

int transrank_ghost_update_like_f(MPI_Fint comm, const transrank_rows* rows,
                                  const transrank_ghost_update* other,
                                  transrank_ghost_update** update) {
    return from_one(transrank_ghost_update_like, of_c(comm), rows, other, update);
}

int transrank_ghost_update_bind_f(MPI_Fint comm, const transrank_ghost_update* update,
                                  int direction, const transrank_options* options,
                                  transrank_exchange** exchange) {
    return from_one(transrank_ghost_update_bind, of_c(comm), update, direction, options, exchange);
}

int transrank_alltoall_bind_f(MPI_Fint comm, const void* send, void* receive, int64_t block_bytes,
                              const transrank_alltoall_options* options,
                              transrank_exchange** exchange) {
    return from_one(transrank_alltoall_bind, of_c(comm), send, receive, block_bytes, options,
                    exchange);
}

int transrank_alltoallv_bind_f(MPI_Fint comm, const void* send, const int64_t* send_bytes,
                               const int64_t* send_offsets, void* receive,
                               const int64_t* receive_bytes, const int64_t* receive_offsets,
                               const transrank_alltoall_options* options,
                               transrank_exchange** exchange) {
    return from_one(transrank_alltoallv_bind, of_c(comm), send, send_bytes, send_offsets, receive,
                    receive_bytes, receive_offsets, options, exchange);
}

int transrank_alltoall_f(MPI_Fint comm, const void* send, void* receive, int64_t block_bytes,
                         const transrank_alltoall_options* options) {
    return from_one(transrank_alltoall, of_c(comm), send, receive, block_bytes, options);
}

int transrank_distribution_owner_f(const transrank_distribution* distribution, int64_t index,
                                   int* part, int64_t* position) {
    return from_one(transrank_distribution_owner, distribution, index, part, position);
}

int transrank_layout_grid_f(int dimensions, const transrank_distribution* const* distributions,
                            const transrank_grid_options* options, transrank_layout** layout) {
    return from_one(transrank_layout_grid, dimensions, distributions, options, layout);
}

int transrank_layout_box_f(const transrank_layout* layout, int rank, int64_t* begin, int64_t* end) {
    return from_one(transrank_layout_box, layout, rank, begin, end);
}

int transrank_numbering_index_f(const transrank_numbering* numbering, int rank, int64_t row,
                                int64_t* index) {
    return from_one(transrank_numbering_index, numbering, rank, row, index);
}

int transrank_numbering_place_f(const transrank_numbering* numbering, int64_t index, int* rank,
                                int64_t* row) {
    return from_one(transrank_numbering_place, numbering, index, rank, row);
}

int transrank_exchange_explain_f(transrank_exchange* exchange, const char** text) {
    return from_one(transrank_exchange_explain, exchange, text);
}
