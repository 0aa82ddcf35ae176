// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/overlap.hpp"

#include <array>
#include <utility>

namespace transrank::route {
namespace {

/// How many of the fastest dimensions consist of one piece each; the slowest does not count.
std::size_t count_single(const Overlap& overlap) {
    std::size_t level = 0;
    while (level + 1 < overlap.order.size() && overlap.along(level).size() == 1) {
        ++level;
    }
    return level;
}

/// What begins at these positions along a dimension, of which a position has the strides of `step`.
Segment moved(Segment box, const Loop& step, std::int64_t source, std::int64_t destination) {
    box.source += source * step.source_stride;
    box.destination += destination * step.destination_stride;
    return box;
}

Segment repeated(Segment box, const Loop& step, const Segment& piece) {
    box.repeat(step.times(piece.length));
    box.repeat({.count = piece.count,
                .source_stride = piece.source_stride * step.source_stride,
                .destination_stride = piece.destination_stride * step.destination_stride});
    return moved(std::move(box), step, piece.source, piece.destination);
}

/// Everything of the dimensions up to `level`, with the units of `begin`. A dimension of several
/// pieces forces the slower ones to be taken index by index, to keep the order of the destination.
void append_level(const Overlap& overlap, std::size_t level, std::size_t single,
                  const Segment& begin, Segments& segments) {
    for (const Segment& piece : overlap.along(level)) {
        if (level > single) {
            const std::array<Loop, 2> positions{{{piece.length, 1, 1}, piece.fastest()}};
            for_each_step(positions, piece.source, piece.destination, [&](auto source, auto to) {
                append_level(overlap, level - 1, single,
                             moved(begin, overlap.step(level), source, to), segments);
            });
            continue;
        }
        auto box = begin;
        for (std::size_t inner = 0; inner < level; ++inner) {
            box = repeated(std::move(box), overlap.step(inner), overlap.along(inner).front());
        }
        segments.push_back(repeated(std::move(box), overlap.step(level), piece));
    }
}

}  // namespace

Segments segments_of(const Overlap& overlap) {
    Segments made;
    append_level(overlap, overlap.order.size() - 1, count_single(overlap), {.length = 1}, made);
    made.shrink_to_fit();
    return made;
}

}  // namespace transrank::route
