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

/// The most cells of a grid, and parts of a partition, along a dimension.
inline constexpr std::int64_t most_extent = 65536;

/// `512x1024x16`; extents that are left out are 1.
[[nodiscard]] Grid grid_named(std::string_view text);

/// The grid with `scale` times fewer cells, a power of two: the longer of the first two extents is
/// halved, again and again.
[[nodiscard]] Grid scaled(Grid grid, std::int64_t scale);

/// Parts along each dimension.
using Parts = std::array<int, 3>;

/// `2x4`, `2x4x2`; parts that are left out are 1.
[[nodiscard]] std::string text(const Parts& parts);
[[nodiscard]] Parts parts_named(std::string_view text);

struct Partition {
    Parts source{};
    Parts destination{};
};

/// The published partition where there is one for this number of ranks; else, of all with as many
/// parts as ranks along the first two dimensions, one whose parts keep the fewest cells on their
/// rank.
[[nodiscard]] Partition partition_for(const Grid& grid, int ranks);

[[nodiscard]] layout::BlockGrid layout_of(const Grid& grid, const Parts& parts);

}  // namespace transrank::lab::study::redistribute
