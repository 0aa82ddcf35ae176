// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace transrank::lab::measure {

/// Received bytes that are not what was sent. what() names the ranks, the position and the values.
class WrongPayload : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The target of what a rank sends to all ranks alike.
inline constexpr int all_ranks = -1;

/// The bytes that `source` sends to `target` in the iteration `stamp`: the word at position w is
/// start(source, target, stamp) + w * odd constant, so each byte depends on all of them and a
/// shifted, swapped or stale message cannot pass.
struct Payload {
    int source;
    int target;
    std::uint64_t stamp;

    void write(std::span<std::byte> buffer) const;

    /// Throws WrongPayload at the first word that differs.
    void check(std::span<const std::byte> buffer) const;
};

/// Overwrites a receive buffer with something that no payload contains at the same place.
void poison(std::span<std::byte> buffer);

/// The element at `position` of `rank`'s contribution to a reduction: a small whole number, so that
/// sums over any number of ranks below 2^18 are exact in float, whatever their order.
[[nodiscard]] int reduction_element(int rank, std::size_t position, std::uint64_t stamp);

/// The period of reduction_element in `position`.
inline constexpr std::size_t reduction_period = 61;

}  // namespace transrank::lab::measure
