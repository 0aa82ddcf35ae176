// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

// The collective calls of MPI that this process makes, counted through MPI's profiling interface.
// To be included by one file of an executable, which may count further calls by `counted`.
namespace testing {

inline int collective_calls = 0;

inline int counted(int code) {
    ++collective_calls;
    return code;
}

}  // namespace testing

extern "C" {
int MPI_Barrier(MPI_Comm comm) {
    return testing::counted(PMPI_Barrier(comm));
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    return testing::counted(PMPI_Ibarrier(comm, request));
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return testing::counted(PMPI_Bcast(buffer, count, type, root, comm));
}
int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    return testing::counted(PMPI_Reduce(send, receive, count, type, op, root, comm));
}
int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    return testing::counted(PMPI_Allreduce(send, receive, count, type, op, comm));
}
int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
    return testing::counted(PMPI_Iallreduce(send, receive, count, type, op, comm, request));
}
int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    return testing::counted(
        PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm));
}
int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    return testing::counted(
        PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
}
int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
    return testing::counted(PMPI_Exscan(send, receive, count, type, op, comm));
}
int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    return testing::counted(PMPI_Ibcast(buffer, count, type, root, comm, request));
}
int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Request* request) {
    return testing::counted(PMPI_Iallgather(send, send_count, send_type, receive, receive_count,
                                            receive_type, comm, request));
}
int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                  MPI_Request* request) {
    return testing::counted(PMPI_Ialltoall(send, send_count, send_type, receive, receive_count,
                                           receive_type, comm, request));
}
int MPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request* request) {
    return testing::counted(PMPI_Iexscan(send, receive, count, type, op, comm, request));
}
}
