// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transrank/route/leg.hpp"

namespace transrank::route {

/// XXH64 (Y. Collet, seed 0) of a sequence of 64-bit words, each taken as its 8 bytes in little
/// endian order: the same on every machine.
class Checksum {
public:
    void add(std::uint64_t word) noexcept {
        stripe_[words_ % lanes] = word;
        ++words_;
        if (words_ % lanes == 0) {
            consume_stripe();
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept;

private:
    static constexpr std::size_t lanes = 4;
    static constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;
    static constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4F;

    void consume_stripe() noexcept;

    std::array<std::uint64_t, lanes> state_{prime_1 + prime_2, prime_2, 0, 0 - prime_1};
    std::array<std::uint64_t, lanes> stripe_{};
    std::uint64_t words_ = 0;
};

/// A checksum of the segments of a leg: the two ranks of a leg compute the same.
[[nodiscard]] inline std::uint64_t checksum(const Leg& leg) {
    return leg.segments.checksum();
}

}  // namespace transrank::route
