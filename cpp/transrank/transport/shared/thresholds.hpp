// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::transport {

/// Two cache lines: where nothing can be measured, or nothing is clearly better.
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
    bool is_final = true;  ///< otherwise the next bind measures again
};

/// Collective over each node. The thresholds that were measured once for this process and node,
/// whatever the communicator. Until that has succeeded, each of the first calls measures: pairs of
/// ranks that share memory rewrite, move and read strided runs of several lengths. Their owner
/// pushes the runs, or their reader pulls them; where they are strided at the reader, too, the one
/// also packs them and the other unpacks them. A call that measures takes some milliseconds, at
/// most 20 on a node that is too busy. Where ranks share cores nothing is measured, since that
/// would measure the scheduler.
[[nodiscard]] Thresholds thresholds_of(const mpi::Communicator& comm, const memory::Node& node);

}  // namespace transrank::transport
