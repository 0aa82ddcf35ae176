// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transrank/copy/runs.hpp"
#include "transrank/copy/tile_kernels.hpp"
#include "transrank/route/segment.hpp"

namespace transrank::copy {

/// The loops of a box whose two sides have different fastest ones, and of whose destination no
/// place is written twice: its runs may be moved in any order.
struct Planes {
    route::Loop row;                 ///< the fastest of the destination
    route::Loop column;              ///< the fastest of the source
    std::vector<route::Loop> outer;  ///< the others, in the segment's order
};
[[nodiscard]] std::optional<Planes> planes_of(const route::Segment& segment);

/// Whether to move the runs of planes in another order pays: they are short, and those that fill a
/// line of one side come from different lines of the other.
[[nodiscard]] bool pays_to_turn(const Planes& planes, std::int64_t run_bytes);

/// Moves the runs of a segment plane by plane.
class TransposedRuns {
public:
    TransposedRuns(const route::Segment& segment, const Planes& planes, std::int64_t unit_bytes);

    void copy(const std::byte* source, std::byte* destination) const;
    void stream(const std::byte* source, std::byte* destination) const;

    /// Calls `visit` with the same runs as rows of blocks of a plane.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for_each_step(
            outer_, source_, destination_, [&](std::int64_t source, std::int64_t destination) {
                for (std::int64_t row = 0; row < rows_.count; row += block_rows_) {
                    for (std::int64_t unit = 0; unit < units_.count; unit += block_units_) {
                        visit_block(source, destination, row, unit, visit);
                    }
                }
            });
    }

private:
    template <class Visit>
    void visit_block(std::int64_t source, std::int64_t destination, std::int64_t first_row,
                     std::int64_t first_unit, const Visit& visit) const {
        const auto end = std::min(first_row + block_rows_, rows_.count);
        for (auto row = first_row; row < end; ++row) {
            visit(ByteRuns{.source = source + (row * rows_.source_stride) +
                                     (first_unit * units_.source_stride),
                           .destination = destination + (row * rows_.destination_stride) +
                                          (first_unit * units_.destination_stride),
                           .length = length_,
                           .count = std::min(block_units_, units_.count - first_unit),
                           .source_stride = units_.source_stride,
                           .destination_stride = units_.destination_stride});
        }
    }
    void copy_planes(PlaneCopy plane_copy, const std::byte* source, std::byte* destination) const;

    std::int64_t length_;
    std::int64_t source_;
    std::int64_t destination_;
    route::Loop units_;  ///< the fastest of the destination: a row of a plane
    route::Loop rows_;   ///< the fastest of the source
    std::vector<route::Loop> outer_;
    std::int64_t block_units_;
    std::int64_t block_rows_;
    const TileKernel* kernel_ = nullptr;  ///< where both loops are dense
};

}  // namespace transrank::copy
