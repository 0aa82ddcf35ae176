// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transrank/redistribution/movement.hpp"
#include "transrank/route/segment.hpp"
#include "transrank/transport/field.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::redistribution {

/// One message: where it is sent from or received into, and how its data get there or from there.
struct Packet {
    int peer = 0;
    int bytes = 0;
    std::byte* place = nullptr;          ///< a buffer, or the array itself
    std::vector<transport::Move> moves;  ///< between array and buffer; none in the array itself
};

enum class Way : std::uint8_t { out, in };

/// How data are cut into messages.
struct Cut {
    Cells cells;
    Packing packing;
};

/// All messages that one rank sends, or receives, for some fields, and their buffers. Both ranks of
/// a pair have the same ones in the same order.
class Packets {
public:
    /// Leaves out the rank's own leg. Throws std::invalid_argument where a message has more bytes
    /// than MPI counts in int.
    Packets(std::span<const route::Leg> legs, int rank, Way way, const Cut& cut,
            std::span<const transport::Field> fields);

    [[nodiscard]] std::span<const Packet> all() const noexcept { return packets_; }
    /// Those with one peer.
    [[nodiscard]] std::span<const Packet> with(int peer) const noexcept;
    [[nodiscard]] std::int64_t bytes() const noexcept;

private:
    std::vector<Packet> packets_;  // ascending by peer
    std::unique_ptr<std::byte[]> buffer_;
};

}  // namespace transrank::redistribution
