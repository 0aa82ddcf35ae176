// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/memory/node.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::transport {

/// Whether this process has measured links already. Not collective.
[[nodiscard]] bool link_is_known();

/// In what pieces, in bytes, a long message goes between nodes sooner than as one; 0: as one, also
/// where nothing has been measured.
[[nodiscard]] std::int64_t known_piece_bytes();

/// Collective. Measures the links between some nodes, all at once, and keeps the worst of them for
/// this process: the first ranks of pairs of nodes send short and long messages to each other.
/// Takes some ten times as long as a long message.
void measure_link(const mpi::Communicator& comm, const memory::Node& node);

}  // namespace transrank::transport
