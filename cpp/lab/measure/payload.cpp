// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/payload.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace transrank::lab::measure {
namespace {

constexpr std::uint64_t step = 0x9E37'79B9'7F4A'7C15U;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return x ^ (x >> 31U);
}

std::uint64_t first_word(const Payload& payload) {
    const auto ranks =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(payload.source)) << 32U) |
        static_cast<std::uint32_t>(payload.target);
    return mix(mix(ranks + step) + payload.stamp);
}

[[noreturn]] void refuse(const Payload& payload, std::size_t offset, std::uint64_t found,
                         std::uint64_t expected) {
    const std::string target = payload.target == all_ranks
                                   ? std::string("all ranks")
                                   : "rank " + std::to_string(payload.target);
    throw WrongPayload("wrong data: message from rank " + std::to_string(payload.source) + " to " +
                       target + ", iteration " + std::to_string(payload.stamp) + ", byte " +
                       std::to_string(offset) + ": received word " + std::to_string(found) +
                       ", sent " + std::to_string(expected));
}

}  // namespace

void Payload::write(std::span<std::byte> buffer) const {
    std::uint64_t word = first_word(*this);
    std::byte* out = buffer.data();
    const std::size_t whole = buffer.size() / word_bytes;
    for (std::size_t w = 0; w < whole; ++w, word += step) {
        std::memcpy(out + (w * word_bytes), &word, word_bytes);
    }
    const std::size_t rest = buffer.size() % word_bytes;
    if (rest != 0) {
        std::memcpy(out + (whole * word_bytes), &word, rest);
    }
}

void Payload::check(std::span<const std::byte> buffer) const {
    const std::uint64_t start = first_word(*this);
    const std::byte* in = buffer.data();
    const std::size_t whole = buffer.size() / word_bytes;
    const auto word_at = [in](std::size_t w, std::size_t bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, in + (w * word_bytes), bytes);
        return word;
    };
    // One pass without a branch per word, so that it runs at memory speed; the place is looked
    // for only when something differs.
    std::uint64_t difference = 0;
    std::uint64_t expected = start;
    for (std::size_t w = 0; w < whole; ++w, expected += step) {
        difference |= word_at(w, word_bytes) ^ expected;
    }
    if (difference != 0) {
        expected = start;
        for (std::size_t w = 0; w < whole; ++w, expected += step) {
            if (word_at(w, word_bytes) != expected) {
                refuse(*this, w * word_bytes, word_at(w, word_bytes), expected);
            }
        }
    }
    const std::size_t rest = buffer.size() % word_bytes;
    if (rest != 0) {
        std::uint64_t tail = 0;
        std::memcpy(&tail, &expected, rest);
        if (word_at(whole, rest) != tail) {
            refuse(*this, whole * word_bytes, word_at(whole, rest), tail);
        }
    }
}

void poison(std::span<std::byte> buffer) {
    // A constant byte pattern: consecutive payload words differ by `step`, so no two of them hold
    // it.
    std::ranges::fill(buffer, std::byte{0xA5});
}

int reduction_element(int rank, std::size_t position, std::uint64_t stamp) {
    const std::uint64_t mixed = (static_cast<std::uint64_t>(rank) * 7) + (position * 3) + stamp;
    return static_cast<int>(mixed % reduction_period);
}

}  // namespace transrank::lab::measure
