// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/grid.hpp"

#include <stdexcept>
#include <utility>

#include "transrank/route/halo.hpp"

namespace transrank::lab::study::advection {
namespace {

using layout::BlockGrid;
using layout::Distribution;
using route::Segment;

std::string thin(const Distribution& distribution, int dimension, int stride, int width) {
    const auto [part, points] = distribution.shortest();
    return points >= width
               ? ""
               : "the part of rank " + std::to_string(part * stride) + " is " +
                     std::to_string(points) + " points thick in dimension " +
                     std::to_string(dimension) + ", thinner than the " + std::to_string(width) +
                     " that the stencil reads of its neighbor; use fewer processes along this "
                     "dimension or a larger grid";
}

struct Point {
    std::int64_t row;
    std::int64_t column;
};

/// What lies at a place of the dense array that a grid gives a rank; its first own point is 0, 0.
Point point_at(const BlockGrid& grid, int rank, std::int64_t place) {
    const auto columns = grid.local_extents(rank)[1];
    return {.row = (place / columns) - grid.halo(0).low,
            .column = (place % columns) - grid.halo(1).low};
}

/// From between dense arrays to between those of blocks.
Segment placed(const BlockGrid& grid, Segment segment, int from, int to, Sources sources) {
    const auto source = point_at(grid, from, segment.source);
    const auto destination = point_at(grid, to, segment.destination);
    const auto theirs = block_of(grid, from);
    const auto ours = block_of(grid, to);
    const bool of_rows = destination.row < 0 || destination.row >= ours.rows();
    auto pitch = theirs.pitch();
    if (sources == Sources::owned) {
        segment.source = theirs.at(source.row, source.column);
    } else if (of_rows) {  // A corner is read from the copies of rows.
        segment.source = theirs.copied_rows() + source.column;
        pitch = theirs.columns();
    } else {
        segment.source = theirs.copied_columns();
        pitch = segment.length;
    }
    segment.destination = ours.at(destination.row, destination.column);
    if (segment.count > 1) {
        segment.source_stride = pitch;
        segment.destination_stride = ours.pitch();
    }
    return segment;
}

}  // namespace

Processes processes_of(std::string_view name, int ranks) {
    if (name == "rows") {
        return {ranks, 1};
    }
    if (name == "columns") {
        return {1, ranks};
    }
    if (name != "even") {
        throw std::invalid_argument("unknown process grid '" + std::string(name) +
                                    "'; known: even rows columns");
    }
    int fewer = 1;
    for (int divisor = 1; divisor <= ranks / divisor; ++divisor) {
        fewer = ranks % divisor == 0 ? divisor : fewer;
    }
    return {ranks / fewer, fewer};
}

std::string reason_against(const Extents& extents, const Processes& processes, int width) {
    auto reason = thin(Distribution::even(extents.rows, processes[0]), 0, processes[1], width);
    return reason.empty() ? thin(Distribution::even(extents.columns, processes[1]), 1, 1, width)
                          : reason;
}

BlockGrid grid_of(const Extents& extents, const Processes& processes, const Stencil& stencil) {
    const auto upwind = [&](bool from_low) {
        return layout::Halo{.low = from_low ? stencil.width : 0,
                            .high = from_low ? 0 : stencil.width,
                            .periodic = true};
    };
    return BlockGrid({Distribution::even(extents.rows, processes[0]),
                      Distribution::even(extents.columns, processes[1])},
                     {.halo = {upwind(stencil.from_low_rows), upwind(stencil.from_low_columns)}});
}

Block block_of(const BlockGrid& grid, int rank) {
    const auto box = grid.box(rank);
    return {box[0].length(), box[1].length()};
}

route::Route halo(const BlockGrid& grid, int rank, const Stencil& stencil, Sources sources) {
    const int ranks = grid.distribution(0).parts() * grid.distribution(1).parts();
    const auto dense =
        route::halo(rank, ranks, grid,
                    stencil.reads_corner ? route::Corners::included : route::Corners::left_out);
    std::vector<route::Leg> sends(dense.sends().begin(), dense.sends().end());
    std::vector<route::Leg> receives(dense.receives().begin(), dense.receives().end());
    for (auto& leg : sends) {
        leg.segments = route::changed(leg.segments, [&](Segment& segment) {
            segment = placed(grid, segment, rank, leg.peer, sources);
        });
    }
    for (auto& leg : receives) {
        leg.segments = route::changed(leg.segments, [&](Segment& segment) {
            segment = placed(grid, segment, leg.peer, rank, sources);
        });
    }
    const auto doubles = block_of(grid, rank).doubles();
    return {rank, ranks, doubles, doubles, std::move(sends), std::move(receives)};
}

std::vector<route::Row> copies(const BlockGrid& grid, int rank, const Stencil& stencil) {
    const auto owned = halo(grid, rank, stencil, Sources::owned);
    const auto copied = halo(grid, rank, stencil, Sources::copied);
    std::vector<route::Row> made;
    for (std::size_t leg = 0; leg < owned.sends().size(); ++leg) {
        auto read = copied.sends()[leg].segments.begin();
        for (const auto& written : owned.sends()[leg].segments) {
            made.push_back({.source = written.source,
                            .destination = read->source,
                            .length = written.length,
                            .count = written.count,
                            .source_stride = written.source_stride,
                            .destination_stride = read->source_stride});
            ++read;
        }
    }
    return made;
}

}  // namespace transrank::lab::study::advection
