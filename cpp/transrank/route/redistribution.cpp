// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/redistribution.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "transrank/layout/require.hpp"
#include "transrank/route/axis.hpp"
#include "transrank/route/overlap.hpp"

namespace transrank::route {
namespace {

using layout::BlockGrid;
using layout::PerDimension;

std::size_t count_overlaps(std::span<const std::vector<Leg>> shared) {
    std::size_t count = 1;
    for (const auto& legs : shared) {
        count *= legs.size();
    }
    return count;
}

/// Calls `visit` with the coordinates and pieces of every part that shares cells in all dimensions.
template <class Visit>
void for_each_overlap(std::span<const std::vector<Leg>> shared, const Visit& visit) {
    if (count_overlaps(shared) == 0) {
        return;
    }
    PerDimension<std::size_t> chosen{};
    PerDimension<int> coordinates{};
    Overlap overlap;
    while (true) {
        for (std::size_t d = 0; d < shared.size(); ++d) {
            overlap.pieces[d] = &shared[d][chosen[d]];
            coordinates[d] = overlap.pieces[d]->peer;
        }
        visit(coordinates, overlap);
        std::size_t d = shared.size();
        while (d > 0 && ++chosen[d - 1] == shared[d - 1].size()) {
            chosen[d - 1] = 0;
            --d;
        }
        if (d == 0) {
            return;
        }
    }
}

Axis axis(const BlockGrid& grid, int dimension, Coverage coverage) {
    return {.distribution = grid.distribution(dimension),
            .halo = grid.halo(dimension),
            .fills_halo = coverage == Coverage::owned_and_halo};
}

std::vector<Leg> legs(int rank, Direction direction, const BlockGrid& source,
                      const BlockGrid& destination, Coverage coverage) {
    const bool sending = direction == Direction::sending;
    const BlockGrid& own = sending ? source : destination;
    const BlockGrid& other = sending ? destination : source;
    const int part = own.ranks().part(rank);
    if (part < 0) {
        return {};
    }
    const auto mine = own.coordinates(part);
    const auto own_strides = own.strides(mine);
    PerDimension<std::vector<Leg>> shared;
    for (int d = 0; d < own.dimensions(); ++d) {
        const Axis from = axis(source, d, Coverage::owned);
        const Axis to = axis(destination, d, coverage);
        shared[d] = sending ? pieces_sent(from, mine[d], to) : pieces_received(from, to, mine[d]);
    }
    const auto used = std::span(shared).first(static_cast<std::size_t>(own.dimensions()));
    std::vector<Leg> made;
    made.reserve(count_overlaps(used));
    for_each_overlap(used, [&](const PerDimension<int>& peer, Overlap& overlap) {
        overlap.source_strides = sending ? own_strides : source.strides(peer);
        overlap.destination_strides = sending ? destination.strides(peer) : own_strides;
        overlap.order = destination.memory_order();
        made.push_back({.peer = other.rank(peer), .segments = segments_of(overlap)});
    });
    return made;
}

}  // namespace

void check_ranks(int highest, int ranks) {
    layout::require(highest < ranks, "a layout puts a part on rank ", highest, ", but there are ",
                    ranks, " ranks; use fewer parts or more ranks");
}

void check_same_grid(const BlockGrid& source, const BlockGrid& destination) {
    using layout::require;
    require(source.dimensions() == destination.dimensions(), "the source grid has ",
            source.dimensions(), " dimensions and the destination grid ", destination.dimensions(),
            "; a redistribution moves cells between two layouts of one grid");
    for (int d = 0; d < source.dimensions(); ++d) {
        require(source.distribution(d).extent() == destination.distribution(d).extent(),
                "dimension ", layout::counted(d), " has extent ", source.distribution(d).extent(),
                " in the source grid and ", destination.distribution(d).extent(),
                " in the destination grid; a redistribution moves cells between two layouts of one "
                "grid");
    }
}

Route redistribution(int rank, int ranks, const BlockGrid& source, const BlockGrid& destination,
                     Coverage coverage) {
    check_same_grid(source, destination);
    check_ranks(std::max(source.ranks().highest(), destination.ranks().highest()), ranks);
    return {rank,
            ranks,
            source.units(rank),
            destination.units(rank),
            legs(rank, Direction::sending, source, destination, coverage),
            legs(rank, Direction::receiving, source, destination, coverage),
            {.source = source.shape(rank), .destination = destination.shape(rank)}};
}

}  // namespace transrank::route
