// SPDX-License-Identifier: BSD-3-Clause
// What the preloaded library calls in place of MPI's functions, once it has loaded this one.
#include <mpi.h>

#include <algorithm>
#include <exception>

#include "communicator.hpp"
#include "request.hpp"
#include "summary.hpp"

namespace transrank::carry {
namespace {

// As MPI reports its own errors.
int failed(MPI_Comm comm, int error) {
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

// MPI reports buffers that are one.
bool are_apart(const void* send, const void* receive) {
    return send != receive || send == nullptr;
}

/// `fill` completes a request for so many ranks, or returns false.
template <class Fill, class ByMpi>
int carry(Kind kind, const void* send, MPI_Comm comm, const Fill& fill, const ByMpi& by_mpi) {
    const auto begin = Clock::now();
    int is_running = 0;
    auto* known = PMPI_Initialized(&is_running) == MPI_SUCCESS && is_running != 0
                      ? Communicator::of(comm)
                      : nullptr;
    auto way = known == nullptr ? Way::refused : known->enter(kind);
    thread_local Request request;
    if (way == Way::carried) {
        request.begin(kind, send == MPI_IN_PLACE);
        try {
            for (int rank = 0; rank < known->size() && !request.refuses; ++rank) {
                request.refuses = !fill(request, rank);
            }
        } catch (const std::exception&) {
            request.refuses = true;
        }
        way = known->ask(request);
    }
    if (way == Way::broken) {
        count(kind, way, 0, begin);
        return failed(comm, MPI_ERR_OTHER);
    }
    const auto agreed = Clock::now();
    const int code = way == Way::carried ? known->move(request) : by_mpi();
    if (known != nullptr) {
        known->took(static_cast<std::uint32_t>(std::min<std::int64_t>(
            (Clock::now() - agreed) / std::chrono::nanoseconds(1), UINT32_MAX)));
    }
    count(kind, way, way == Way::carried ? request.sends.bytes : 0, begin);
    return way == Way::carried && code != MPI_SUCCESS ? failed(comm, code) : code;
}

template <class Count>
int alltoall(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
             Count receive_count, MPI_Datatype receive_type, MPI_Comm comm, const auto& by_mpi) {
    const auto fill = [&](Request& request, std::int64_t rank) {
        const auto count = request.in_place ? receive_count : send_count;
        const auto type = request.in_place ? receive_type : send_type;
        auto* const from = request.in_place ? receive : const_cast<void*>(send);
        return (request.in_place || are_apart(send, receive)) &&
               request.sends.add(from, rank * count, true, count, type) &&
               request.receives.add(receive, rank * receive_count, true, receive_count,
                                    receive_type);
    };
    return carry(Kind::alltoall, send, comm, fill, by_mpi);
}

template <class Count, class Offset>
int alltoallv(const void* send, const Count* send_counts, const Offset* send_offsets,
              MPI_Datatype send_type, void* receive, const Count* receive_counts,
              const Offset* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm,
              const auto& by_mpi) {
    const auto fill = [&](Request& request, int rank) {
        return (request.in_place
                    ? request.sends.add(receive, receive_offsets[rank], true, receive_counts[rank],
                                        receive_type)
                    : are_apart(send, receive) &&
                          request.sends.add(const_cast<void*>(send), send_offsets[rank], true,
                                            send_counts[rank], send_type)) &&
               request.receives.add(receive, receive_offsets[rank], true, receive_counts[rank],
                                    receive_type);
    };
    return carry(Kind::alltoallv, send, comm, fill, by_mpi);
}

template <class Count, class Offset>
int alltoallw(const void* send, const Count* send_counts, const Offset* send_offsets,
              const MPI_Datatype* send_types, void* receive, const Count* receive_counts,
              const Offset* receive_offsets, const MPI_Datatype* receive_types, MPI_Comm comm,
              const auto& by_mpi) {
    const auto fill = [&](Request& request, int rank) {
        return (request.in_place
                    ? request.sends.add(receive, receive_offsets[rank], false, receive_counts[rank],
                                        receive_types[rank])
                    : are_apart(send, receive) &&
                          request.sends.add(const_cast<void*>(send), send_offsets[rank], false,
                                            send_counts[rank], send_types[rank])) &&
               request.receives.add(receive, receive_offsets[rank], false, receive_counts[rank],
                                    receive_types[rank]);
    };
    return carry(Kind::alltoallw, send, comm, fill, by_mpi);
}

}  // namespace
}  // namespace transrank::carry

extern "C" __attribute__((visibility("default"))) int transrank_carried_MPI_Finalize() {
    transrank::carry::print_summary();
    return PMPI_Finalize();
}

#include "carried.inc"
