// SPDX-License-Identifier: BSD-3-Clause
#include <span>
#include <vector>

#include "lab/measure/recording.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {

void record_ranks(const Samples& own, const mpi::Communicator& comm, text::JsonWriter& json) {
    json.begin_object();
    write_rank_summaries(own, comm, json);
    json.key("all").begin_array();
    // Every rank took the same samples, so the lists are equally long.
    const std::size_t count = own.seconds.size();
    std::vector<double> one(count);
    constexpr int tag = 1;
    for (int rank = 0; rank < comm.size(); ++rank) {
        if (rank != 0 && comm.rank() == rank) {
            mpi::check(MPI_Send(own.seconds.data(), static_cast<int>(count), MPI_DOUBLE, 0, tag,
                                comm.handle()),
                       "MPI_Send");
        }
        if (comm.rank() == 0) {
            if (rank != 0) {
                mpi::check(MPI_Recv(one.data(), static_cast<int>(count), MPI_DOUBLE, rank, tag,
                                    comm.handle(), MPI_STATUS_IGNORE),
                           "MPI_Recv");
            }
            json.array(rank == 0 ? own.seconds : one);
        }
    }
    json.end_array().end_object();
}

}  // namespace transrank::lab::measure
