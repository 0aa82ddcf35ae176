// SPDX-License-Identifier: BSD-3-Clause
// As much of MPI as the shared transports need to be bound, for ranks that are threads of one
// process; defined in shared_transports.cpp.
#pragma once

using MPI_Comm = int;
using MPI_Request = int;
using MPI_Datatype = int;
struct MPI_Status {
    int MPI_SOURCE;
};

inline constexpr int MPI_SUCCESS = 0;
inline constexpr MPI_Comm MPI_COMM_NULL = -1;
inline constexpr MPI_Request MPI_REQUEST_NULL = -1;
inline constexpr MPI_Datatype MPI_BYTE = 1;

int MPI_Isend(const void* memory, int bytes, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Irecv(void* memory, int bytes, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request);
// Not called.
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);
