// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "pattern.hpp"
#include "transrank/copy/field.hpp"

namespace testing {

using transrank::copy::Operation;
using transrank::copy::Scalar;
using Bytes = std::vector<std::byte>;

/// Rows of one field: what they consist of and how long they are.
struct FieldKind {
    Scalar scalar;
    std::int64_t unit_bytes;
};

/// Calls `action` with a value of the scalar's type; opaque rows consist of bytes.
template <class Action>
void with_type(Scalar scalar, const Action& action) {
    switch (scalar) {
        case Scalar::int8:
            return action(std::int8_t{});
        case Scalar::int16:
            return action(std::int16_t{});
        case Scalar::int32:
            return action(std::int32_t{});
        case Scalar::int64:
            return action(std::int64_t{});
        case Scalar::uint16:
            return action(std::uint16_t{});
        case Scalar::uint32:
            return action(std::uint32_t{});
        case Scalar::uint64:
            return action(std::uint64_t{});
        case Scalar::float32:
            return action(float{});
        case Scalar::float64:
            return action(double{});
        case Scalar::uint8:
        case Scalar::opaque:
            return action(std::uint8_t{});
    }
}

/// Numbers of very different size, so that the order of a sum shows in its last bits. For min and
/// max also NaN and zeros, of either sign, so that it shows which one stays.
inline void fill(std::span<std::byte> bytes, Scalar scalar, std::uint64_t seed,
                 Operation operation) {
    const bool special = operation == Operation::min || operation == Operation::max;
    Random random(seed);
    with_type(scalar, [&]<class T>(T) {
        for (std::size_t offset = 0; offset + sizeof(T) <= bytes.size(); offset += sizeof(T)) {
            T value{};
            if constexpr (std::is_floating_point_v<T>) {
                const auto mantissa = static_cast<T>(between(random, -1000003, 1000003));
                value = std::ldexp(mantissa, static_cast<int>(between(random, -30, 30)));
                if (special && chance(random, 0.3)) {
                    const T bare = chance(random, 0.5) ? T{} : std::numeric_limits<T>::quiet_NaN();
                    value = std::copysign(bare, mantissa);
                }
            } else {
                value = static_cast<T>(random());
            }
            std::memcpy(bytes.data() + offset, &value, sizeof(T));
        }
    });
}

/// The oracle's combination of one unit.
inline void combine(Operation operation, const FieldKind& kind, std::byte* destination,
                    const std::byte* source) {
    with_type(kind.scalar, [&]<class T>(T) {
        for (std::int64_t offset = 0; offset < kind.unit_bytes; offset += sizeof(T)) {
            T mine{};
            T theirs{};
            std::memcpy(&mine, destination + offset, sizeof(T));
            std::memcpy(&theirs, source + offset, sizeof(T));
            if (operation == Operation::min || operation == Operation::max) {
                bool stays = operation == Operation::min ? mine <= theirs : mine >= theirs;
                if constexpr (std::is_floating_point_v<T>) {
                    stays = stays || std::isnan(mine);
                }
                theirs = stays ? mine : theirs;
            } else if (operation == Operation::add) {
                if constexpr (std::is_floating_point_v<T>) {
                    theirs = mine + theirs;
                } else {  // wraps
                    theirs = static_cast<T>(static_cast<std::uint64_t>(mine) +
                                            static_cast<std::uint64_t>(theirs));
                }
            }
            std::memcpy(destination + offset, &theirs, sizeof(T));
        }
    });
}

inline FieldKind random_kind(Random& random, bool opaque_too) {
    if (opaque_too && chance(random, 0.3)) {
        return {.scalar = Scalar::opaque, .unit_bytes = between(random, 1, 300)};
    }
    const auto scalar = static_cast<Scalar>(
        between(random, static_cast<int>(Scalar::int8), static_cast<int>(Scalar::float64)));
    std::int64_t bytes = 0;
    with_type(scalar, [&]<class T>(T) { bytes = sizeof(T); });
    return {.scalar = scalar,
            .unit_bytes = bytes * (chance(random, 0.2) ? 40 : between(random, 1, 6))};
}

}  // namespace testing
