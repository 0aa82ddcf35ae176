// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// The cells that two parts share: every combination of the pieces that they share in each
/// dimension. Piece offsets are positions along a dimension, strides the units between positions.
struct Overlap {
    layout::PerDimension<const Leg*> pieces{};
    layout::PerDimension<std::int64_t> source_strides{};
    layout::PerDimension<std::int64_t> destination_strides{};
    std::span<const int> order;  // the dimensions from the destination's fastest to its slowest

    [[nodiscard]] const Segments& along(std::size_t level) const {
        return pieces[order[level]]->segments;
    }
    [[nodiscard]] Loop step(std::size_t level) const {
        return {.source_stride = source_strides[order[level]],
                .destination_stride = destination_strides[order[level]]};
    }
};

/// The cells of an overlap in ascending order of their destination.
[[nodiscard]] Segments segments_of(const Overlap& overlap);

}  // namespace transrank::route
