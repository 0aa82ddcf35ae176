// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/graph.hpp"

#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::neighborhood {

mpi::Communicator adjacent(const mpi::Communicator& comm, std::span<const int> sources,
                           std::span<const int> destinations) {
    // Open MPI 5 takes a graph of a Cartesian communicator for a Cartesian one.
    int topology = MPI_UNDEFINED;
    mpi::check(MPI_Topo_test(comm.handle(), &topology), "MPI_Topo_test");
    if (topology != MPI_UNDEFINED) {
        return adjacent(comm.split(0), sources, destinations);
    }
    MPI_Comm graph = MPI_COMM_NULL;
    mpi::check(MPI_Dist_graph_create_adjacent(
                   comm.handle(), static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                   static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED,
                   MPI_INFO_NULL, 0, &graph),
               "MPI_Dist_graph_create_adjacent");
    mpi::Communicator own(graph);
    mpi::check(MPI_Comm_free(&graph), "MPI_Comm_free");
    return own;
}

}  // namespace transrank::lab::study::neighborhood
