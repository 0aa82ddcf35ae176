// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

#include "transrank/mpi/communicator.hpp"

/// Messages between two ranks, and exchanges among some of them that consist of such.
namespace transrank::mpi {

/// Where a message goes to or comes from.
struct Partner {
    const Communicator& comm;
    int rank;
    int tag;
};

/// Begins to send or to receive fewer bytes than 2 GiB, which must stay until that is complete.
[[nodiscard]] MPI_Request begin_send(std::span<const std::byte> bytes, const Partner& to,
                                     std::source_location where = std::source_location::current());
[[nodiscard]] MPI_Request begin_receive(
    std::span<std::byte> bytes, const Partner& from,
    std::source_location where = std::source_location::current());

/// Whether a message has come that nobody has received, and which; of any rank or tag if so asked.
[[nodiscard]] std::optional<MPI_Status> arrived(
    MPI_Comm comm, int rank, int tag, std::source_location where = std::source_location::current());

/// A message to a rank that expects it, and one of any length from a rank.
void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> receive(const Communicator& comm, int rank, int tag);

/// Collective over these ranks, of which this is one. What each has, in their order.
[[nodiscard]] std::vector<std::byte> gathered(const Communicator& comm, std::span<const int> ranks,
                                              int tag, std::vector<std::byte> own);

/// Collective over each pair of ranks that name each other among their `peers`, once each: sends
/// the i-th of equal parts of `sent` to the i-th of them, and returns in its place what that has
/// sent to this rank.
[[nodiscard]] std::vector<std::byte> swapped_with(const Communicator& comm,
                                                  std::span<const int> peers, int tag,
                                                  std::vector<std::byte> sent);

template <class T>
[[nodiscard]] std::vector<std::byte> bytes_of(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

template <class T>
[[nodiscard]] std::vector<T> values_in(std::span<const std::byte> bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
}

template <class T>
[[nodiscard]] std::vector<T> gathered(const Communicator& comm, std::span<const int> ranks, int tag,
                                      const T& own) {
    return values_in<T>(gathered(comm, ranks, tag, bytes_of(std::span(&own, 1))));
}

template <class T>
[[nodiscard]] std::vector<T> swapped_with(const Communicator& comm, std::span<const int> peers,
                                          int tag, const std::vector<T>& sent) {
    return values_in<T>(swapped_with(comm, peers, tag, bytes_of(std::span(sent))));
}

}  // namespace transrank::mpi
