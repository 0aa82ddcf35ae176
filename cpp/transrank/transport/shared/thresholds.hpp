// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::transport {

/// Where nothing can be measured, near what still machines have: two cache lines.
inline constexpr std::int64_t default_push_below_bytes = 128;
inline constexpr std::int64_t default_stage_below_bytes = 128;

/// From which length on a run goes another way through shared memory, and how that is known. The
/// same on every rank of a node.
struct Thresholds {
    /// Shorter runs are pushed by their sender, the others pulled by their receiver.
    std::int64_t push_below_bytes = default_push_below_bytes;
    std::string origin = "default";  ///< given, measured, or default and why
    /// Below which length runs that lie apart on both sides are better packed: pushed or pulled,
    /// each of them drags a cache line of another core's. 0: never.
    std::int64_t stage_below_bytes = 0;
    bool is_final = true;  ///< a later bind measures again where it is not
};

/// Collective over each node. For a process and a node, whatever the communicator, until that has
/// succeeded once, pairs of ranks that share memory rewrite, move and read strided runs of several
/// lengths, pushed by their owner, pulled by their reader and, where they are strided at the
/// reader, too, packed by the one and unpacked by the other. Returns where pulling and where moving
/// them directly begins to cost less. Takes some milliseconds that one time, and no more than 40
/// where the node is too busy; where ranks share cores nothing is measured, since that would
/// measure the scheduler.
[[nodiscard]] Thresholds thresholds_of(const mpi::Communicator& comm, const memory::Node& node);

}  // namespace transrank::transport
