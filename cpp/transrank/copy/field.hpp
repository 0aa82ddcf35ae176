// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace transrank::copy {

class View;

/// How arriving data are combined with the destination. Min and max with a NaN on either side are
/// NaN; of two NaN, as of zeros of either sign, the one that is there stays.
enum class Operation : std::uint8_t { assign, add, min, max };

inline constexpr std::array<std::string_view, 4> operations{"assign", "add", "min", "max"};

/// The type of the numbers in a unit, for operations other than assign.
enum class Scalar : std::uint8_t {
    opaque,  ///< assign only
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
};

/// The name of a scalar, and its length in bytes: 1 where it is opaque.
struct ScalarKind {
    std::string_view name;
    std::int64_t bytes;
};

inline constexpr std::array<ScalarKind, 11> scalars{{{"opaque", 1},
                                                     {"int8", 1},
                                                     {"int16", 2},
                                                     {"int32", 4},
                                                     {"int64", 8},
                                                     {"uint8", 1},
                                                     {"uint16", 2},
                                                     {"uint32", 4},
                                                     {"uint64", 8},
                                                     {"float32", 4},
                                                     {"float64", 8}}};

/// Of a `scalar`.
[[nodiscard]] constexpr const ScalarKind& kind_of(Scalar scalar) {
    return scalars.at(static_cast<std::size_t>(scalar));
}

/// How copies are stored where they arrive.
enum class Stores : std::uint8_t {
    measured,  ///< whichever kind has proved faster
    cached,    ///< into the caches
    streamed,  ///< past the caches
};

/// One array that an exchange moves: where this rank's units lie, and how long a unit is. Fields
/// of one exchange may be parts of one allocation, and have a source in common; but no unit that
/// the route writes may lie where it reads, or where it writes one of another field.
///
/// After a BrokenExchange MPI may still be reading from or writing to the arrays, and a peer that
/// shares memory with this rank may be, too. `keep_alive` is then kept for ever where MPI needs
/// it; callers that leave it empty must keep the arrays of a broken exchange until MPI_Finalize.
struct Field {
    const std::byte* source = nullptr;
    std::int64_t source_bytes = 0;
    std::byte* destination = nullptr;
    std::int64_t destination_bytes = 0;
    std::int64_t unit_bytes = 0;
    Scalar scalar = Scalar::opaque;
    std::shared_ptr<void> keep_alive = nullptr;  ///< what owns the memory
    /// Where the bytes lie from the first element on, which is at the address; nullptr: one after
    /// the other.
    std::shared_ptr<const View> source_view = nullptr;
    std::shared_ptr<const View> destination_view = nullptr;
};

/// Where the source and the destination of a field lie in one epoch.
struct Memory {
    const std::byte* source = nullptr;
    std::byte* destination = nullptr;
};

}  // namespace transrank::copy
