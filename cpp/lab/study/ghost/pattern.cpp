// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/ghost/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace transrank::lab::study::ghost {
namespace {

using route::Leg;
using route::Segment;

// The rows of the face on which block dimension face / 2 has its first or last index, in row order,
// to consecutive rows from `destination` on.
Segment face_segment(const Block& block, int face, std::int64_t destination) {
    const auto dimension = static_cast<std::size_t>(face / 2);
    const auto& extents = block.extents;
    const std::array<std::int64_t, 3> stride{extents[1] * extents[2], extents[2], 1};
    const std::int64_t first = face % 2 == 0 ? 0 : (extents[dimension] - 1) * stride[dimension];
    // Runs of what the faster dimensions hold, one for each index of the slower ones.
    const auto length = stride[dimension];
    const auto count = block.face_rows(dimension) / length;
    if (count == 1) {
        return {.source = first, .destination = destination, .length = length};
    }
    return {.source = first,
            .destination = destination,
            .length = length,
            .count = count,
            .source_stride = length * extents[dimension],
            .destination_stride = length};
}

// The first ghost row of a face: they follow each other.
std::int64_t ghost_begin(const Block& block, int face) {
    std::int64_t begin = 0;
    for (int before = 0; before < face; ++before) {
        begin += block.face_rows(static_cast<std::size_t>(before / 2));
    }
    return begin;
}

// What `receiver` gets, by source: behind its lower side lies its neighbor's upper face.
std::map<int, std::vector<Segment>> arrivals(const Block& block, int receiver,
                                             const std::array<int, 3>& grid) {
    std::map<int, std::vector<Segment>> by_source;
    for (int face = 0; face < faces; ++face) {
        by_source[neighbor(receiver, face, grid)].push_back(
            face_segment(block, face ^ 1, ghost_begin(block, face)));
    }
    return by_source;
}

std::vector<Leg> legs(std::map<int, std::vector<Segment>> by_peer) {
    std::vector<Leg> all;
    for (auto& [peer, segments] : by_peer) {
        all.push_back({.peer = peer, .segments = std::move(segments)});
    }
    return all;
}

std::set<std::int64_t> rows_of(const Segment& face) {
    std::set<std::int64_t> rows;
    for (std::int64_t run = 0; run < face.count; ++run) {
        for (std::int64_t i = 0; i < face.length; ++i) {
            rows.insert(face.source + (run * face.source_stride) + i);
        }
    }
    return rows;
}

// The published program keeps its faces in a dictionary by neighbor and numbers ranks in a grid of
// ceil(cube root of ranks) to a side, taken modulo the number of ranks.
std::vector<Segment> literal_segments(const Block& block, int rank, int ranks) {
    const int side = static_cast<int>(std::ceil(std::cbrt(ranks) - 1e-9));
    std::map<int, int> face_by_neighbor;
    for (int face = 0; face < faces; ++face) {
        face_by_neighbor[neighbor(rank, face, {side, side, side}) % ranks] = face;
    }
    std::set<std::int64_t> rows;
    for (const auto& [unused, face] : face_by_neighbor) {
        rows.merge(rows_of(face_segment(block, face ^ 1, 0)));
    }
    std::vector<Segment> segments;
    std::int64_t destination = 0;
    for (const auto row : rows) {
        if (!segments.empty() && segments.back().source + segments.back().length == row) {
            ++segments.back().length;
        } else {
            segments.push_back({.source = row, .destination = destination, .length = 1});
        }
        ++destination;
    }
    return segments;
}

}  // namespace

std::array<int, 3> process_grid(int ranks) {
    std::array<int, 3> best{ranks, 1, 1};
    for (int a = 1; a <= ranks; ++a) {
        for (int b = 1; ranks % a == 0 && b <= a && b <= ranks / a; ++b) {
            const int c = ranks / a / b;
            if (ranks / a % b == 0 && c <= b && a - c < best[0] - best[2]) {
                best = {a, b, c};
            }
        }
    }
    return best;
}

int neighbor(int rank, int face, const std::array<int, 3>& grid) {
    std::array<int, 3> place{rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
    const auto dimension = static_cast<std::size_t>(face / 2);
    const int step = face % 2 == 0 ? grid[dimension] - 1 : 1;
    place[dimension] = (place[dimension] + step) % grid[dimension];
    return (((place[0] * grid[1]) + place[1]) * grid[2]) + place[2];
}

route::Route corrected_ghost_route(int rank, int ranks, const Block& block) {
    const auto grid = process_grid(ranks);
    std::map<int, std::vector<Segment>> departures;
    std::set<int> neighbors;
    for (int face = 0; face < faces; ++face) {
        neighbors.insert(neighbor(rank, face, grid));
    }
    for (const int peer : neighbors) {
        departures[peer] = arrivals(block, peer, grid).at(rank);
    }
    return {rank,
            ranks,
            block.rows(),
            block.ghost_rows(),
            legs(std::move(departures)),
            legs(arrivals(block, rank, grid))};
}

route::Route literal_ghost_route(int rank, int ranks, const Block& block) {
    std::map<int, std::vector<Segment>> departures;
    for (int peer = 0; rank == 0 && peer < ranks; ++peer) {
        departures[peer] = literal_segments(block, peer, ranks);
    }
    return {rank,
            ranks,
            block.rows(),
            block.ghost_rows(),
            legs(std::move(departures)),
            legs({{0, literal_segments(block, rank, ranks)}})};
}

route::Route remote_ghost_route(int rank, int ranks, const Block& block) {
    std::vector<Segment> segments;
    for (int face = 0; face < faces; ++face) {
        segments.push_back(face_segment(block, face, ghost_begin(block, face)));
    }
    const int next = (rank + 1) % ranks;
    const int previous = (rank + ranks - 1) % ranks;
    return {rank,
            ranks,
            block.rows(),
            block.ghost_rows(),
            {{.peer = previous, .segments = segments}},
            {{.peer = next, .segments = segments}}};
}

}  // namespace transrank::lab::study::ghost
