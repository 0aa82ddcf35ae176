// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::transport {

/// What messages between two nodes cost, in seconds: those of all pairs of ranks at once, and one
/// in place of them all.
struct NodeLink {
    double per_message = 0;  ///< for each further message under way at once
    /// For all ranks of a node to give their parts to one of them, and to get theirs from one.
    double handing_over = 0;
    double per_byte_by_pairs = 0;
    double per_byte_by_one = 0;     ///< in one message, or in pieces
    double per_byte_in_memory = 0;  ///< a copy
    std::int64_t piece_bytes = 0;   ///< a long message goes better in such pieces; 0: as one

    /// How much sooner what is now `messages` messages with `bytes` bytes arrives as one message of
    /// `distinct_bytes`; negative where it is later.
    [[nodiscard]] double gain(std::int64_t messages, double bytes, double distinct_bytes) const;
};

/// Whether this process has measured links already. Not collective.
[[nodiscard]] bool link_is_known();

/// What this process has measured; zeros where nothing has been.
[[nodiscard]] NodeLink known_link();

/// Collective. Measures the links between some nodes, all at once, and keeps the worst of them for
/// this process: pairs of nodes send short and long messages to each other, by all pairs of ranks
/// and by one. Takes about a hundred times as long as a message.
void measure_link(const mpi::Communicator& comm, const memory::Node& node);

}  // namespace transrank::transport
