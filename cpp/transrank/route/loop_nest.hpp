// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::route {

/// One level of a nest: `count` steps of the strides, in units, in the source and in the
/// destination.
struct Loop {
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t destination_stride = 0;
};

/// A box of units as nested loops. Loops are added from the fastest to the slowest of the
/// destination; a loop that merely continues the one inside it is merged with it.
class LoopNest {
public:
    void add(const Loop& loop) noexcept;
    /// Appends the box that begins at these two units: the innermost loop of neighboring units
    /// becomes the length of the segments, the next one their count, the others repeat them.
    void append_to(std::vector<Segment>& segments, std::int64_t source,
                   std::int64_t destination) const;

private:
    // A dimension of a block-cyclic distribution takes two: blocks, and indices within a block.
    static constexpr std::size_t most = 2 * std::size_t{layout::max_dimensions};

    std::array<Loop, most> loops_{};
    std::size_t size_ = 0;
};

}  // namespace transrank::route
