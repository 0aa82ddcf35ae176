// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/point_to_point.hpp"

/// Collective operations that wait as their communicator does (Communicator::State::meanwhile):
/// what blocks in MPI can neither make exchanges advance nor notice that a rank has ended.
namespace transrank::mpi {

template <class T>
[[nodiscard]] MPI_Datatype datatype_of();
template <>
inline MPI_Datatype datatype_of<int>() {
    return MPI_INT;
}
template <>
inline MPI_Datatype datatype_of<std::int64_t>() {
    return MPI_INT64_T;
}
template <>
inline MPI_Datatype datatype_of<std::uint64_t>() {
    return MPI_UINT64_T;
}
template <>
inline MPI_Datatype datatype_of<double>() {
    return MPI_DOUBLE;
}

/// MPI_Iallreduce or MPI_Iexscan.
using Combination = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);

/// Collective. Replaces the values, of 512 bytes at most, by what `begin` makes of those of all
/// ranks. Needs no memory.
void combine(const Communicator& comm, Combination begin, std::span<std::byte> values, int count,
             MPI_Datatype type, MPI_Op op);

template <class T, std::size_t Count>
void reduce(const Communicator& comm, std::span<T, Count> values, MPI_Op op) {
    combine(comm, &MPI_Iallreduce, std::as_writable_bytes(values), static_cast<int>(values.size()),
            datatype_of<T>(), op);
}
template <class T>
[[nodiscard]] T reduced(const Communicator& comm, T value, MPI_Op op) {
    reduce(comm, std::span(&value, 1), op);
    return value;
}

/// Collective. Rank `root`'s bytes, on all ranks; of 512 bytes at most it needs no memory.
void broadcast(const Communicator& comm, std::span<std::byte> bytes, int root);

/// Collective. As many values from each rank as this one has for each.
[[nodiscard]] std::vector<std::int64_t> swapped(const Communicator& comm,
                                                std::span<const std::int64_t> values);

/// Collective. What each rank has, by rank: as many bytes everywhere, or plain data.
[[nodiscard]] std::vector<std::byte> gathered_bytes(const Communicator& comm,
                                                    std::vector<std::byte> own);
template <class T>
[[nodiscard]] std::vector<T> gathered(const Communicator& comm, const T& own) {
    return values_in<T>(gathered_bytes(comm, bytes_of(std::span(&own, 1))));
}

}  // namespace transrank::mpi
