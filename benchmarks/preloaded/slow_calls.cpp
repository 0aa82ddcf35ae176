// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the MPI: after each call that moves something the rank spins for a share of the
// time that the call took, $SLOW_CALLS_SHARE (0.1 without it), and for $SLOW_CALLS_SECONDS (0).
// A share near 1 or beyond has no end: a call waits for the peer's spin, too.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace {

using Clock = std::chrono::steady_clock;

double setting(const char* name, double otherwise) {
    const char* const given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtod(given, nullptr);
}

template <class Call>
Call* next(const char* name) {
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        throw std::runtime_error(std::string("no MPI library behind this one has ") + name);
    }
    return reinterpret_cast<Call*>(found);
}

int slowed(const auto& call) {
    static const double share = setting("SLOW_CALLS_SHARE", 0.1);
    static const std::chrono::duration<double> always(setting("SLOW_CALLS_SECONDS", 0));
    const auto begin = Clock::now();
    const int code = call();
    const auto taken = Clock::now() - begin;
    const auto end = begin + taken + share * taken + always;
    while (Clock::now() < end) {
    }
    return code;
}

}  // namespace

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype datatype, int to, int tag, MPI_Comm comm) {
    static auto* const call = next<decltype(MPI_Send)>("MPI_Send");
    return slowed([&] { return call(buffer, count, datatype, to, tag, comm); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype datatype, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
    static auto* const call = next<decltype(MPI_Recv)>("MPI_Recv");
    return slowed([&] { return call(buffer, count, datatype, from, tag, comm, status); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    static auto* const call = next<decltype(MPI_Bcast)>("MPI_Bcast");
    return slowed([&] { return call(buffer, count, datatype, root, comm); });
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
    static auto* const call = next<decltype(MPI_Allreduce)>("MPI_Allreduce");
    return slowed([&] { return call(send, receive, count, datatype, op, comm); });
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    static auto* const call = next<decltype(MPI_Alltoall)>("MPI_Alltoall");
    return slowed([&] {
        return call(send, send_count, send_type, receive, receive_count, receive_type, comm);
    });
}
}
