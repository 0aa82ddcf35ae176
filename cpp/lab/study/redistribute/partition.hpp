// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "transrank/layout/block_grid.hpp"

namespace transrank::lab::study::redistribute {

/// Cells of a grid in each dimension; the first varies fastest, in memory and over ranks.
struct Grid {
    std::array<std::int64_t, 3> extents{};

    [[nodiscard]] std::int64_t cells() const { return extents[0] * extents[1] * extents[2]; }
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Grid&, const Grid&) = default;
};

/// `512x1024x16`
[[nodiscard]] Grid grid_named(std::string_view text);

/// The grid with `scale` times fewer cells, a power of two: the longer of the first two extents is
/// halved, again and again.
[[nodiscard]] Grid scaled(Grid grid, std::int64_t scale);

/// Parts along the first two dimensions; the third is not divided.
using Parts = std::array<int, 2>;

/// `2x4`
[[nodiscard]] std::string text(const Parts& parts);

struct Partition {
    Parts source{};
    Parts destination{};
};

/// The published partition where there is one for this number of ranks; else, of all with as many
/// parts as ranks, one whose parts keep the fewest cells on their rank.
[[nodiscard]] Partition partition_for(const Grid& grid, int ranks);

[[nodiscard]] layout::BlockGrid layout_of(const Grid& grid, const Parts& parts);

}  // namespace transrank::lab::study::redistribute
