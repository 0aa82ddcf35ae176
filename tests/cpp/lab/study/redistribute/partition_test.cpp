// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
// Partitions of the redistribution benchmark: the published ones, and elsewhere those that keep
// least, counted cell by cell.
#include "lab/study/redistribute/partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace transrank::lab::study::redistribute;

namespace {

constexpr Grid grid{.extents = {24, 36, 2}};

/// Cells of the first layer that stay on their rank.
std::int64_t kept(const Partition& partition) {
    const auto source = layout_of(grid, partition.source);
    const auto destination = layout_of(grid, partition.destination);
    const auto owner = [](const auto& layout, std::int64_t i, std::int64_t j) {
        return layout.rank({layout.distribution(0).stretch(i).part,
                            layout.distribution(1).stretch(j).part, 0, 0, 0, 0});
    };
    std::int64_t cells = 0;
    for (std::int64_t i = 0; i < grid.extents[0]; ++i) {
        for (std::int64_t j = 0; j < grid.extents[1]; ++j) {
            cells += owner(source, i, j) == owner(destination, i, j) ? 1 : 0;
        }
    }
    return cells;
}

}  // namespace

TEST_CASE("where nothing was published, no other partition keeps fewer cells on their rank") {
    for (const int ranks : {1, 2, 3, 5, 6, 12}) {
        CAPTURE(ranks);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int one = 1; one <= ranks; ++one) {
            for (int other = 1; other <= ranks; ++other) {
                if (ranks % one == 0 && ranks % other == 0) {
                    least = std::min(least, kept({.source = {one, ranks / one, 1},
                                                  .destination = {other, ranks / other, 1}}));
                }
            }
        }
        const auto chosen = partition_for(grid, ranks);
        CHECK(chosen.source[0] * chosen.source[1] == ranks);
        CHECK(chosen.destination[0] * chosen.destination[1] == ranks);
        CHECK(kept(chosen) == least);
    }
}

TEST_CASE("where partitions were published, they are taken") {
    const auto chosen = partition_for(grid, 32);
    CHECK(text(chosen.source) == "4x8");
    CHECK(text(chosen.destination) == "16x2");
}
