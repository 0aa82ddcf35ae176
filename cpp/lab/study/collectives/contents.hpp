// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "lab/study/collectives/flow.hpp"
#include "lab/study/collectives/roots.hpp"

namespace transrank::lab::study::collectives {

/// What one rank sends from and receives into.
struct Buffers {
    Flow flow;
    std::span<std::byte> send;
    std::span<std::byte> receive;
    std::size_t block_bytes;
    int rank;
    int ranks;
};

/// The data of a case: what is sent, and what must have come of it.
class Contents {
public:
    Contents() = default;
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;
    virtual ~Contents() = default;

    /// Writes the payload of `stamp`, and something else where it will be received.
    virtual void fill(std::uint64_t stamp) = 0;

    /// Compares what the calls since the last fill, with these roots, have left on this rank.
    /// Returns the bytes compared; throws measure::WrongPayload.
    [[nodiscard]] virtual std::uint64_t verify(const Roots& roots) const = 0;
};

/// Blocks that arrive as they were sent.
[[nodiscard]] std::unique_ptr<Contents> make_blocks(const Buffers& buffers);

}  // namespace transrank::lab::study::collectives
