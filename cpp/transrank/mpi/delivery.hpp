// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// Bytes for a rank, or from one.
struct Message {
    int peer = -1;
    std::vector<std::byte> bytes;
};

/// Collective. Delivers messages to ranks that need not know that they will get any, and returns
/// those for this rank, ascending by sender. Takes time and memory in the number of messages and
/// the logarithm of the number of ranks: non-blocking consensus (Hoefler, Siebert, Lumsdaine, PPoPP
/// 2010). At most one message from a rank to another, of less than 2 GiB.
///
/// A rank may return while others still listen: between two deliveries with one tag on one
/// communicator there must be another collective call.
///
/// `coming`: how many messages come to this rank, if each rank knows that: then nobody waits for
/// ranks that it has no message from.
[[nodiscard]] std::vector<Message> deliver(const Communicator& comm, std::vector<Message> messages,
                                           int tag, std::optional<std::size_t> coming = {});

}  // namespace transrank::mpi
