// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transrank::carry {

/// Bytes in one piece, repeated by nested loops, the innermost first.
struct Piece {
    struct Loop {
        std::int64_t count = 1;
        std::int64_t stride = 0;
    };
    static constexpr std::size_t most_loops = 8;

    std::int64_t offset = 0;
    std::int64_t length = 0;
    std::size_t depth = 0;
    std::array<Loop, most_loops> loops{};

    /// Adds a loop around the others, or prolongs what it continues. False: there is no room.
    [[nodiscard]] bool repeat(std::int64_t count, std::int64_t stride);
    [[nodiscard]] std::int64_t bytes() const;
};

/// Where the bytes of one element of a datatype lie, in the order of its type map.
struct Datatype {
    std::vector<Piece> pieces;
    std::int64_t bytes = 0;
    std::int64_t extent = 0;

    [[nodiscard]] bool is_dense() const {
        return pieces.empty() || (pieces.size() == 1 && pieces[0].depth == 0 && bytes == extent);
    }
};

/// The layout of a datatype, kept with it as an attribute; nullptr where it is not one that is
/// followed: its constructor is rare, or it has more than some ten thousand pieces.
[[nodiscard]] std::shared_ptr<const Datatype> layout_of(MPI_Datatype datatype);

}  // namespace transrank::carry
