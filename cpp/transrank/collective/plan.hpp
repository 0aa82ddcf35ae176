// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/schedule/algorithm.hpp"

namespace transrank::collective {

/// Where one rank's blocks lie in its arrays, in bytes: one value per peer.
struct Blocks {
    std::vector<std::int64_t> send_offsets;
    std::vector<std::int64_t> send_bytes;
    std::vector<std::int64_t> receive_offsets;
    std::vector<std::int64_t> receive_bytes;

    /// Blocks of one length, one behind the other.
    [[nodiscard]] static Blocks equal(int ranks, std::int64_t block_bytes);

    /// Bytes of an array up to the end of its last block that is not empty.
    [[nodiscard]] std::int64_t send_extent() const;
    [[nodiscard]] std::int64_t receive_extent() const;
};

/// The memory in which a rank's data lie while they move.
enum class Memory : std::uint8_t {
    send,     ///< the user's
    receive,  ///< the user's
    transit,  ///< blocks to be forwarded, where they have arrived
    packed,   ///< messages of one step that are not contiguous elsewhere
};

struct Place {
    Memory memory;
    std::int64_t offset;
    friend bool operator==(const Place&, const Place&) = default;
};

struct Copy {
    Place from;
    Place to;
    std::int64_t bytes;
};

/// Bytes to or from a peer in one piece, and the copies that make it so: before it is sent, or
/// after it has arrived.
struct Message {
    int peer;
    Place place;
    std::int64_t bytes;
    std::vector<Copy> copies;
};

struct Step {
    std::vector<Message> receives;
    std::vector<Message> sends;
};

/// Everything that one rank does in an alltoall, with places instead of addresses.
struct Plan {
    std::vector<Copy> own;  ///< the block to itself
    std::vector<Step> steps;
    std::int64_t transit_bytes = 0;
    std::int64_t packed_bytes = 0;
};

/// `rank`'s part of `algorithm`. Blocks that the algorithm forwards must all have one length; a
/// direct algorithm takes any.
[[nodiscard]] Plan make_plan(const schedule::Algorithm& algorithm, const schedule::Problem& problem,
                             int rank, const Blocks& blocks);

}  // namespace transrank::collective
