// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transrank/copy/runs.hpp"
#include "transrank/copy/tile_kernels.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/loop_nest.hpp"

namespace transrank::copy {

/// Segments that are one box of a grid: runs of one length, repeated by loops of constant strides.
struct Nest {
    /// Two for each dimension of a grid, as a block-cyclic one has; more are not looked for.
    static constexpr std::size_t most_loops = 12;

    std::size_t segments = 1;  ///< how many of them it is made of
    std::int64_t length = 0;   ///< of a run; like all places and strides in the segments' unit
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::array<route::Loop, most_loops> loops{};  ///< in the segments' order, the fastest first
    std::size_t depth = 0;                        ///< of these

    [[nodiscard]] std::span<const route::Loop> used() const noexcept {
        return std::span(loops).first(depth);
    }
    /// The fastest loop of a side, by its stride there.
    [[nodiscard]] std::size_t fastest(std::int64_t route::Loop::* stride) const;
    /// Whether the fastest loops of the two sides differ and no place is written twice: the runs
    /// may then be moved in any order.
    [[nodiscard]] bool is_transposed() const;
    /// The length of all runs.
    [[nodiscard]] std::int64_t units() const noexcept;
};

/// The longest box that these segments begin with.
[[nodiscard]] Nest leading_nest(std::span<const route::Segment> segments);

/// The same in bytes.
[[nodiscard]] Nest in_bytes(Nest nest, std::int64_t unit_bytes);

/// Whether one continues the other as a box does: the same runs from another place on.
[[nodiscard]] inline bool same_runs(const route::Segment& one, const route::Segment& other) {
    return one.length == other.length && one.count == other.count &&
           one.source_stride == other.source_stride &&
           one.destination_stride == other.destination_stride;
}

/// Calls `visit_nest` with the boxes that segments of a leg are, and with the segments of each, and
/// `visit_lone` with the segments that surely are in none; in the leg's order. Irregular legs have
/// very many of the latter.
template <class VisitLone, class VisitNest>
void for_each_box(const route::Leg& leg, const VisitLone& visit_lone, const VisitNest& visit_nest) {
    std::vector<route::Segment> repeated;  // consecutive ones of the same several runs
    const auto visit_repeated = [&] {
        for (std::span<const route::Segment> rest = repeated; !rest.empty();) {
            if (rest.size() == 1 || !same_runs(rest[0], rest[1])) {
                visit_lone(rest.front());
                rest = rest.subspan(1);
                continue;
            }
            const auto nest = leading_nest(rest);
            if (nest.segments == 1) {
                visit_lone(rest.front());
            } else {
                visit_nest(nest, rest.first(nest.segments));
            }
            rest = rest.subspan(nest.segments);
        }
        repeated.clear();
    };
    for (const auto& segment : leg.segments) {
        if (!repeated.empty() && !same_runs(repeated.back(), segment)) {
            visit_repeated();
        }
        if (segment.count > 1) {
            repeated.push_back(segment);
        } else {
            visit_lone(segment);
        }
    }
    visit_repeated();
}

/// Calls `visit(source, destination)` with the places of all steps of some loops, of which the
/// first is the fastest.
template <class Visit>
void for_each_step(std::span<const route::Loop> loops, std::int64_t source,
                   std::int64_t destination, const Visit& visit) {
    std::array<std::int64_t, Nest::most_loops> at{};
    while (true) {
        visit(source, destination);
        std::size_t level = 0;
        for (; level < loops.size(); ++level) {
            const auto& loop = loops[level];
            source += loop.source_stride;
            destination += loop.destination_stride;
            if (++at[level] < loop.count) {
                break;
            }
            source -= loop.count * loop.source_stride;
            destination -= loop.count * loop.destination_stride;
            at[level] = 0;
        }
        if (level == loops.size()) {
            return;
        }
    }
}

/// Whether to move the runs of a nest, in bytes, in another order pays: they are short, and those
/// that fill a line of one side come from different lines of the other.
[[nodiscard]] bool pays_to_turn(const Nest& nest);

/// Moves the runs of a nest plane by plane, each of which has the fastest loops of both sides.
class TransposedRuns {
public:
    explicit TransposedRuns(const Nest& nest);

    void copy(const std::byte* source, std::byte* destination) const;
    void stream(const std::byte* source, std::byte* destination) const;

    /// Calls `visit` with the same runs as rows of blocks of a plane.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for_each_step(
            outer(), source_, destination_, [&](std::int64_t source, std::int64_t destination) {
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
    [[nodiscard]] std::span<const route::Loop> outer() const {
        return std::span(outer_).first(outer_depth_);
    }
    void copy_planes(PlaneCopy plane_copy, const std::byte* source, std::byte* destination) const;

    std::int64_t length_;
    std::int64_t source_;
    std::int64_t destination_;
    route::Loop units_;  ///< the fastest of the destination: a row of a plane
    route::Loop rows_;   ///< the fastest of the source
    std::array<route::Loop, Nest::most_loops> outer_{};
    std::size_t outer_depth_ = 0;
    std::int64_t block_units_;
    std::int64_t block_rows_;
    const TileKernel* kernel_ = nullptr;  ///< where both loops are dense
};

}  // namespace transrank::copy
