// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace transrank::copy {

class View;

/// How an arriving number is combined with the number in the destination. If either number is NaN,
/// min and max give NaN. If both are NaN, or both are zeros, the number in the destination stays.
enum class Operation : std::uint8_t { assign, add, min, max };

/// The names of the operations, in the order of Operation.
inline constexpr std::array<std::string_view, 4> operations{"assign", "add", "min", "max"};

/// The type of the numbers in a unit (row or cell). Operations other than assign need it.
enum class Scalar : std::uint8_t {
    opaque,  ///< any bytes, for assign only
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

/// The name of a scalar type, and its length in bytes, which is 1 for opaque.
struct ScalarKind {
    std::string_view name;
    std::int64_t bytes;
};

/// The kinds of all scalar types, in the order of Scalar.
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

/// The name and the length in bytes of `scalar`.
[[nodiscard]] constexpr const ScalarKind& kind_of(Scalar scalar) {
    return scalars.at(static_cast<std::size_t>(scalar));
}

/// How copied data are stored in the destination array.
enum class Stores : std::uint8_t {
    measured,  ///< cached or streamed, whichever is measured to be faster
    cached,    ///< into the caches
    streamed,  ///< past the caches
};

/// One array that an exchange moves: where this rank's units (rows or cells) lie, and how long a
/// unit is. Fields of one exchange may be parts of one allocation, and may have the same source.
/// But the route must not write a unit where it reads, or where it writes a unit of another field.
///
/// After a BrokenExchange, MPI or a peer that shares memory with this rank may still be accessing
/// the arrays. If MPI may still access them, `keep_alive` is kept forever. Callers that leave
/// `keep_alive` empty must keep the arrays of a broken exchange until MPI_Finalize.
struct Field {
    const std::byte* source = nullptr;
    std::int64_t source_bytes = 0;
    std::byte* destination = nullptr;
    std::int64_t destination_bytes = 0;
    std::int64_t unit_bytes = 0;
    Scalar scalar = Scalar::opaque;
    std::shared_ptr<void> keep_alive = nullptr;  ///< owner of the memory
    /// How an array that is not contiguous lies in memory, relative to its first element, to which
    /// `source` or `destination` points; nullptr for a contiguous array.
    std::shared_ptr<const View> source_view = nullptr;
    std::shared_ptr<const View> destination_view = nullptr;
};

/// The addresses of a field's source and destination in one epoch (from a start to the end of its
/// wait).
struct Memory {
    const std::byte* source = nullptr;
    std::byte* destination = nullptr;
};

}  // namespace transrank::copy
