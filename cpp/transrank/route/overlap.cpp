// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/overlap.hpp"

#include "transrank/route/loop_nest.hpp"

namespace transrank::route {
namespace {

struct Units {
    std::int64_t source = 0;
    std::int64_t destination = 0;
};

/// One dimension of an overlap.
struct Level {
    const Segments& pieces;
    Units stride;

    Level(const Overlap& overlap, std::size_t level)
        : pieces(overlap.along(level)),
          stride{.source = overlap.source_strides[overlap.dimension(level)],
                 .destination = overlap.destination_strides[overlap.dimension(level)]} {}

    /// Where a piece's stretch number `repetition` continues `along` positions further.
    [[nodiscard]] Units at(const Segment& piece, std::int64_t repetition,
                           std::int64_t along) const {
        return {
            .source = (piece.source + (repetition * piece.source_stride) + along) * stride.source,
            .destination = (piece.destination + (repetition * piece.destination_stride) + along) *
                           stride.destination};
    }
    void add_loops(const Segment& piece, LoopNest& nest) const {
        nest.add({.count = piece.length,
                  .source_stride = stride.source,
                  .destination_stride = stride.destination});
        nest.add({.count = piece.count,
                  .source_stride = piece.source_stride * stride.source,
                  .destination_stride = piece.destination_stride * stride.destination});
    }
};

Units operator+(const Units& a, const Units& b) {
    return {.source = a.source + b.source, .destination = a.destination + b.destination};
}

/// How many of the fastest dimensions consist of one piece each; the slowest does not count.
std::size_t count_single(const Overlap& overlap) {
    std::size_t level = 0;
    while (level + 1 < overlap.order.size() && overlap.along(level).size() == 1) {
        ++level;
    }
    return level;
}

/// The box of one piece of a level and of the single pieces of all faster ones.
void append_box(const Overlap& overlap, std::size_t level, const Segment& slowest, Units begin,
                std::vector<Segment>& segments) {
    LoopNest nest;
    for (std::size_t inner = 0; inner <= level; ++inner) {
        const Level faster(overlap, inner);
        const Segment& piece = inner == level ? slowest : faster.pieces.front();
        faster.add_loops(piece, nest);
        begin = begin + faster.at(piece, 0, 0);
    }
    nest.append_to(segments, begin.source, begin.destination);
}

/// Everything of the dimensions up to `level`. A dimension of several pieces forces the
/// slower ones to be taken index by index, to keep the order of the destination.
void append_level(const Overlap& overlap, std::size_t level, std::size_t single, Units begin,
                  std::vector<Segment>& segments) {
    const Level slowest(overlap, level);
    for (const Segment& piece : slowest.pieces) {
        if (level <= single) {
            append_box(overlap, level, piece, begin, segments);
            continue;
        }
        for (std::int64_t repetition = 0; repetition < piece.count; ++repetition) {
            for (std::int64_t along = 0; along < piece.length; ++along) {
                append_level(overlap, level - 1, single,
                             begin + slowest.at(piece, repetition, along), segments);
            }
        }
    }
}

}  // namespace

void append_overlap(const Overlap& overlap, std::vector<Segment>& segments) {
    append_level(overlap, overlap.order.size() - 1, count_single(overlap), {}, segments);
}

}  // namespace transrank::route
