// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transrank::route {

/// A loop of `count` steps. Each step advances by `source_stride` units (rows or elements) in the
/// source array, and by `destination_stride` units in the destination array.
struct Loop {
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t destination_stride = 0;

    /// A loop of `steps` steps with the strides of this loop.
    [[nodiscard]] Loop times(std::int64_t steps) const noexcept {
        return {steps, source_stride, destination_stride};
    }
    friend bool operator==(const Loop&, const Loop&) = default;
};

/// `count` runs (contiguous pieces) of `length` units each. Run i moves from source + i *
/// source_stride to destination + i * destination_stride. A single run has count 1 and strides 0.
/// The runs are the innermost loop. If the piece is a box of more dimensions, `further` holds the
/// loops around it, from the inside to the outside.
///
/// A unit is a row or element. A field defines the unit's length when it is bound, so one route
/// serves fields of different row lengths. Offsets count from the beginning of the sender's source
/// array and of the receiver's destination array.
struct Segment {
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::int64_t length = 0;
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t destination_stride = 0;
    std::vector<Loop> further = {};  // NOLINT(readability-redundant-member-init): need not be named

    /// `runs` returns the number of all runs, `units` the number of all units.
    [[nodiscard]] std::int64_t runs() const noexcept {
        auto runs = count;
        for (const auto& loop : further) {
            runs *= loop.count;
        }
        return runs;
    }
    [[nodiscard]] std::int64_t units() const noexcept { return length * runs(); }
    /// `fastest` returns the fastest loop; `set_fastest` replaces it by `loop`.
    [[nodiscard]] Loop fastest() const noexcept {
        return {.count = count,
                .source_stride = source_stride,
                .destination_stride = destination_stride};
    }
    void set_fastest(const Loop& loop) noexcept {
        count = loop.count;
        source_stride = loop.source_stride;
        destination_stride = loop.destination_stride;
    }
    /// All loops, the fastest first. A single run has none.
    [[nodiscard]] std::vector<Loop> loops() const;
    /// Adds `loop` around the present loops. If its strides continue the outermost present loop (or
    /// the run, if there is no loop), that loop or run is lengthened instead. Throws nothing but
    /// std::bad_alloc.
    void repeat(const Loop& loop);

    friend bool operator==(const Segment&, const Segment&) = default;
};

/// Calls `visit(source, destination)` at each step of the nested `loops`, which are listed from the
/// fastest to the slowest. The offsets that `visit` receives start at `source` and `destination`.
/// Throws nothing that `visit` does not throw.
template <class Visit>
void for_each_step(std::span<const Loop> loops, std::int64_t source, std::int64_t destination,
                   const Visit& visit) {
    if (loops.empty()) {
        visit(source, destination);
        return;
    }
    const auto& [count, source_stride, destination_stride] = loops.back();
    for (std::int64_t i = 0; i < count; ++i) {
        for_each_step(loops.first(loops.size() - 1), source + (i * source_stride),
                      destination + (i * destination_stride), visit);
    }
}

/// The runs of a segment's fastest loop, at one step of the segment's slower loops.
struct Row {
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::int64_t length = 0;
    std::int64_t count = 1;
    std::int64_t source_stride = 0;
    std::int64_t destination_stride = 0;

    /// The number of units in all runs.
    [[nodiscard]] std::int64_t units() const noexcept { return length * count; }
};

/// The first Row of `segment`.
[[nodiscard]] inline Row row_of(const Segment& segment) noexcept {
    return {.source = segment.source,
            .destination = segment.destination,
            .length = segment.length,
            .count = segment.count,
            .source_stride = segment.source_stride,
            .destination_stride = segment.destination_stride};
}

/// The segment that consists of `row` alone. Throws nothing.
[[nodiscard]] inline Segment segment_of(const Row& row) {
    return {.source = row.source,
            .destination = row.destination,
            .length = row.length,
            .count = row.count,
            .source_stride = row.source_stride,
            .destination_stride = row.destination_stride};
}

/// Calls `visit(row)` with each Row of `segment`, in order. Throws nothing that `visit` does not
/// throw.
template <class Visit>
void for_each_row(const Segment& segment, const Visit& visit) {
    for_each_step(segment.further, segment.source, segment.destination,
                  [&](std::int64_t source, std::int64_t destination) {
                      auto row = row_of(segment);
                      row.source = source;
                      row.destination = destination;
                      visit(row);
                  });
}

}  // namespace transrank::route
