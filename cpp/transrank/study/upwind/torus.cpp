// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/upwind/torus.hpp"

#include <mpi.h>

#include <map>
#include <stdexcept>
#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::study::upwind {
namespace {

using route::Segment;

/// Where one dimension of a piece lies.
struct Stretch {
    std::int64_t source;
    std::int64_t destination;
    std::int64_t length;
};

Stretch all_of(std::int64_t extent) {
    return {.source = 0, .destination = 0, .length = extent};
}

// The upwind neighbor's last points come before the first own ones, or its first after the last.
Stretch ghosts_of(bool from_low, std::int64_t width, std::int64_t source_extent,
                  std::int64_t destination_extent) {
    return from_low
               ? Stretch{.source = source_extent - width, .destination = -width, .length = width}
               : Stretch{.source = 0, .destination = destination_extent, .length = width};
}

/// Which sides of a block a piece lies beyond.
struct Beyond {
    bool rows;
    bool columns;
};

/// Doubles from the first one on, `stride` from a row to the next.
struct Place {
    std::int64_t begin;
    std::int64_t stride;
};

/// What is `rows` by `columns` in the source's block, where neighbors read it.
Place place_of(const Block& source, const Stretch& rows, const Stretch& columns,
               const Beyond& beyond, Sources sources) {
    if (sources == Sources::owned) {
        return {.begin = source.at(rows.source, columns.source), .stride = source.pitch()};
    }
    // A corner is read from the copies of rows.
    return beyond.rows
               ? Place{.begin = source.copied_rows() + columns.source, .stride = source.columns()}
               : Place{.begin = source.copied_columns(), .stride = columns.length};
}

Segment segment(const Block& source, const Block& destination, const Stencil& stencil,
                const Beyond& beyond, Sources sources) {
    const auto rows = beyond.rows ? ghosts_of(stencil.from_low_rows, stencil.width, source.rows(),
                                              destination.rows())
                                  : all_of(destination.rows());
    const auto columns = beyond.columns ? ghosts_of(stencil.from_low_columns, stencil.width,
                                                    source.columns(), destination.columns())
                                        : all_of(destination.columns());
    const bool single = rows.length == 1;
    const auto place = place_of(source, rows, columns, beyond, sources);
    return {.source = place.begin,
            .destination = destination.at(rows.destination, columns.destination),
            .length = columns.length,
            .count = rows.length,
            .source_stride = single ? 0 : place.stride,
            .destination_stride = single ? 0 : destination.pitch()};
}

std::string thin(const layout::Distribution& distribution, int dimension, int stride, int width) {
    for (int part = 0; part < distribution.parts(); ++part) {
        if (distribution.owned(part) < width) {
            return "the part of rank " + std::to_string(part * stride) + " is " +
                   std::to_string(distribution.owned(part)) + " points thick in dimension " +
                   std::to_string(dimension) + ", thinner than the " + std::to_string(width) +
                   " that the stencil reads of its neighbor; use fewer processes along this "
                   "dimension or a larger grid";
        }
    }
    return "";
}

std::vector<route::Leg> legs_of(std::map<int, std::vector<Segment>>&& segments) {
    std::vector<route::Leg> legs;
    for (auto& [peer, moved] : segments) {
        legs.push_back({.peer = peer, .segments = std::move(moved)});
    }
    return legs;
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

std::string obstacle(const Extents& extents, const Processes& processes, int width) {
    const auto rows = layout::Distribution::even(extents.rows, processes[0]);
    const auto columns = layout::Distribution::even(extents.columns, processes[1]);
    auto reason = thin(rows, 0, processes[1], width);
    return reason.empty() ? thin(columns, 1, 1, width) : reason;
}

Torus::Torus(const mpi::Communicator& comm, const Processes& processes, const Extents& extents)
    : extents_(extents),
      rows_(layout::Distribution::even(extents.rows, processes[0])),
      columns_(layout::Distribution::even(extents.columns, processes[1])),
      comm_(comm.torus(processes)) {}

std::array<int, 2> Torus::coordinates(int rank) const {
    std::array<int, 2> place{};
    mpi::check(MPI_Cart_coords(comm_.handle(), rank, 2, place.data()), "MPI_Cart_coords");
    return place;
}

Block Torus::block(int rank) const {
    const auto [row, column] = coordinates(rank);
    return {rows_.owned(row), columns_.owned(column)};
}

std::array<std::int64_t, 2> Torus::origin() const {
    const auto [row, column] = coordinates(comm_.rank());
    return {rows_.range(row).begin, columns_.range(column).begin};
}

// MPI_Cart_shift knows the neighbors along one dimension; those across a corner have coordinates.
int Torus::neighbor(int row_steps, int column_steps) const {
    int opposite = 0;
    int found = 0;
    if (row_steps == 0 || column_steps == 0) {
        mpi::check(MPI_Cart_shift(comm_.handle(), row_steps == 0 ? 1 : 0, row_steps + column_steps,
                                  &opposite, &found),
                   "MPI_Cart_shift");
        return found;
    }
    auto place = coordinates(comm_.rank());
    place[0] += row_steps;
    place[1] += column_steps;
    mpi::check(MPI_Cart_rank(comm_.handle(), place.data(), &found), "MPI_Cart_rank");
    return found;
}

std::vector<Piece> Torus::pieces(const Stencil& stencil, Sources sources) const {
    std::vector<Beyond> regions{{.rows = true, .columns = false}, {.rows = false, .columns = true}};
    if (stencil.reads_corner) {
        regions.push_back({.rows = true, .columns = true});
    }
    const int up = stencil.from_low_rows ? -1 : 1;
    const int left = stencil.from_low_columns ? -1 : 1;
    std::vector<Piece> pieces;
    for (const auto& beyond : regions) {
        const int row_steps = beyond.rows ? up : 0;
        const int column_steps = beyond.columns ? left : 0;
        const int source = neighbor(row_steps, column_steps);
        const int destination = neighbor(-row_steps, -column_steps);
        pieces.push_back(
            {.source = source,
             .destination = destination,
             .arriving = segment(block(source), block(), stencil, beyond, sources),
             .departing = segment(block(), block(destination), stencil, beyond, sources)});
    }
    return pieces;
}

std::vector<Segment> Torus::copies(const Stencil& stencil) const {
    std::vector<Segment> copies;
    for (const Beyond beyond :
         {Beyond{.rows = true, .columns = false}, Beyond{.rows = false, .columns = true}}) {
        auto copy = segment(block(), block(), stencil, beyond, Sources::owned);
        const auto to = segment(block(), block(), stencil, beyond, Sources::copied);
        copy.destination = to.source;
        copy.destination_stride = to.source_stride;
        copies.push_back(copy);
    }
    return copies;
}

route::Route route_of(const std::vector<Piece>& pieces, const Torus& torus) {
    std::map<int, std::vector<Segment>> departing;
    std::map<int, std::vector<Segment>> arriving;
    for (const auto& piece : pieces) {
        departing[piece.destination].push_back(piece.departing);
        arriving[piece.source].push_back(piece.arriving);
    }
    const auto doubles = torus.block().doubles();
    return {torus.comm().rank(),           torus.comm().size(),         doubles, doubles,
            legs_of(std::move(departing)), legs_of(std::move(arriving))};
}

}  // namespace transrank::study::upwind
