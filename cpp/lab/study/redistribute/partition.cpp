// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "lab/text/numbers.hpp"

namespace transrank::lab::study::redistribute {
namespace {

using layout::Distribution;

struct Published {
    int ranks;
    Partition partition;
};

// The ESMF bundle redistribution benchmark, table 1 (P. Li, 2007).
constexpr std::array published{
    Published{.ranks = 4, .partition = {.source = {4, 1, 1}, .destination = {1, 4, 1}}},
    Published{.ranks = 8, .partition = {.source = {2, 4, 1}, .destination = {4, 2, 1}}},
    Published{.ranks = 16, .partition = {.source = {2, 8, 1}, .destination = {8, 2, 1}}},
    Published{.ranks = 32, .partition = {.source = {4, 8, 1}, .destination = {16, 2, 1}}},
    Published{.ranks = 64, .partition = {.source = {4, 16, 1}, .destination = {16, 4, 1}}},
    Published{.ranks = 128, .partition = {.source = {8, 16, 1}, .destination = {32, 4, 1}}},
    Published{.ranks = 256, .partition = {.source = {16, 16, 1}, .destination = {32, 8, 1}}},
    Published{.ranks = 512, .partition = {.source = {32, 16, 1}, .destination = {16, 32, 1}}},
    Published{.ranks = 1024, .partition = {.source = {32, 32, 1}, .destination = {64, 16, 1}}},
    Published{.ranks = 2048, .partition = {.source = {32, 64, 1}, .destination = {64, 32, 1}}}};

std::vector<Parts> factorisations(int ranks) {
    std::vector<Parts> found;
    for (int first = 1; first <= ranks; ++first) {
        if (ranks % first == 0) {
            found.push_back({ranks / first, first, 1});
        }
    }
    return found;
}

/// Cells of a layer that no rank has to give away.
std::int64_t kept(const Grid& grid, const Partition& partition, int ranks) {
    std::int64_t cells = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        std::int64_t of_rank = 1;
        for (std::size_t d = 0; d < 2; ++d) {
            const auto at = [&](const Parts& parts) {
                const int along = d == 0 ? rank % parts[0] : rank / parts[0];
                return Distribution::even(grid.extents[d], parts[d]).range(along);
            };
            of_rank *= intersection(at(partition.source), at(partition.destination)).length();
        }
        cells += of_rank;
    }
    return cells;
}

Partition least_overlap(const Grid& grid, int ranks) {
    Partition best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& source : factorisations(ranks)) {
        for (const auto& destination : factorisations(ranks)) {
            const Partition partition{.source = source, .destination = destination};
            const auto cells = kept(grid, partition, ranks);
            if (cells < least) {
                least = cells;
                best = partition;
            }
        }
    }
    return best;
}

}  // namespace

std::string text(const Parts& parts) {
    const auto slow = parts[2] == 1 ? "" : "x" + std::to_string(parts[2]);
    return std::to_string(parts[0]) + "x" + std::to_string(parts[1]) + slow;
}

Parts parts_named(std::string_view text) {
    Parts parts{1, 1, 1};
    std::ranges::copy(text::parse_numbers(text, most_extent), parts.begin());
    return parts;
}

std::string Grid::text() const {
    return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
           std::to_string(extents[2]);
}

Grid grid_named(std::string_view text) {
    Grid grid{.extents = {1, 1, 1}};
    std::ranges::copy(text::parse_numbers(text, most_extent), grid.extents.begin());
    return grid;
}

Grid scaled(Grid grid, std::int64_t scale) {
    for (; scale > 1; scale /= 2) {
        auto& longer = grid.extents[0] > grid.extents[1] ? grid.extents[0] : grid.extents[1];
        longer = std::max<std::int64_t>(longer / 2, 1);
    }
    return grid;
}

Partition partition_for(const Grid& grid, int ranks) {
    const auto found = std::ranges::find(published, ranks, &Published::ranks);
    return found != published.end() ? found->partition : least_overlap(grid, ranks);
}

layout::BlockGrid layout_of(const Grid& grid, const Parts& parts) {
    return layout::BlockGrid({Distribution::even(grid.extents[0], parts[0]),
                              Distribution::even(grid.extents[1], parts[1]),
                              Distribution::even(grid.extents[2], parts[2])},
                             {.part_order = layout::Order::first_fastest,
                              .memory_order = {0, 1, 2},
                              .halo = {},
                              .ranks = {}});
}

}  // namespace transrank::lab::study::redistribute
