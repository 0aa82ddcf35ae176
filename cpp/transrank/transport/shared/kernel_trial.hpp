// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "transrank/memory/watched_process.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::transport {

/// Collective over this rank and `peer`, which share memory and may read each other's private
/// memory. Whether two copies through shared memory were measured to be at least 30 % faster than
/// one by the kernel, which depends on how far apart the two cores are; nothing where one of the
/// two had no core. Takes a millisecond.
[[nodiscard]] std::optional<bool> staging_is_faster(const mpi::Communicator& comm, int peer,
                                                    const memory::WatchedProcess& process);

}  // namespace transrank::transport
