// SPDX-License-Identifier: BSD-3-Clause
#include "testing.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"

using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;
using route::Segment;

namespace {

/// n x n x n cells, the first dimension fastest in memory.
BlockGrid cube(std::int64_t n, const std::vector<int>& parts) {
    std::vector<Distribution> distributions;
    distributions.reserve(parts.size());
    for (const int count : parts) {
        distributions.push_back(Distribution::even(n, count));
    }
    return BlockGrid(std::move(distributions), {.memory_order = {0, 1, 2}});
}

}  // namespace

TEST_CASE("slabs that are contiguous on both sides are one run") {
    const auto route = route::redistribution(0, 2, cube(8, {1, 1, 2}), cube(8, {1, 1, 1}));
    REQUIRE(route.sends().size() == 1);
    CHECK(route.sends()[0].segments ==
          std::vector<Segment>{{.source = 0, .destination = 0, .length = 256}});
}

TEST_CASE("a box is one segment, whatever the number of ranks") {
    for (const int parts : {2, 4, 8}) {
        const int ranks = parts * parts * parts;
        const auto route = route::redistribution(ranks - 1, ranks, cube(16, {parts, parts, parts}),
                                                 cube(16, {1, 1, 1}));
        REQUIRE(route.sends().size() == 1);
        const auto& segments = route.sends()[0].segments;
        REQUIRE(segments.size() == 1);
        CHECK(segments.front().length == 16 / parts);
        CHECK(segments.front().count == 16 / parts);
        CHECK(segments.front().destination_stride == 16);
        CHECK(segments.front().further ==
              std::vector<route::Loop>{{16 / parts, 256 / (parts * parts), 256}});
    }
}

TEST_CASE("a transposition is one segment, row by row of the destination") {
    const BlockGrid rows({Distribution::even(4, 1), Distribution::even(6, 1)});
    const BlockGrid columns({Distribution::even(4, 1), Distribution::even(6, 1)},
                            {.memory_order = {0, 1}});
    const auto route = route::redistribution(0, 1, rows, columns);
    CHECK(route.sends()[0].segments == std::vector<Segment>{{.source = 0,
                                                             .destination = 0,
                                                             .length = 1,
                                                             .count = 4,
                                                             .source_stride = 6,
                                                             .destination_stride = 1,
                                                             .further = {{6, 1, 4}}}});
}

TEST_CASE("boxes of a large grid are a few segments: transposed, and as a halo") {
    const auto grid = [](std::vector<int> parts, std::vector<int> order) {
        return BlockGrid({Distribution::even(512, parts[0]), Distribution::even(1024, parts[1]),
                          Distribution::even(16, 1)},
                         {.memory_order = std::move(order),
                          .halo = std::vector<layout::Halo>(3, {.low = 1, .high = 1})});
    };
    const auto moved =
        route::redistribution(0, 2, grid({2, 1}, {2, 1, 0}), grid({1, 2}, {0, 1, 2}));
    REQUIRE(moved.sends().size() == 2);
    CHECK(moved.sends()[1].units() == 256 * 512 * 16);
    CHECK(moved.sends()[1].segments.size() == 1);
    const auto updated = route::halo(0, 2, grid({2, 1}, {2, 1, 0}));
    REQUIRE(updated.sends().size() == 1);
    CHECK(updated.sends()[0].segments.size() == 1);
}

TEST_CASE("cyclic to cyclic is one strided segment") {
    const BlockGrid three({Distribution::cyclic(60, 3)});
    const BlockGrid two({Distribution::cyclic(60, 2)});
    const auto route = route::redistribution(1, 3, three, two);
    REQUIRE(route.sends().size() == 2);
    // Indices 4, 10, 16 ... go to part 0, the first as its third index.
    CHECK(route.sends()[0].segments == std::vector<Segment>{{.source = 1,
                                                             .destination = 2,
                                                             .length = 1,
                                                             .count = 10,
                                                             .source_stride = 2,
                                                             .destination_stride = 3}});
}

TEST_CASE("a halo has a width, if only of 0") {
    const BlockGrid one({Distribution::even(4, 1)}, {.ranks = layout::RankMap::listed({1})});
    CHECK_THROWS_AS((void)route::halo(2, 3, one), std::invalid_argument);
    const BlockGrid bare({Distribution::even(4, 1)}, {.halo = {layout::Halo{}}});
    CHECK(route::halo(0, 1, bare).receives().empty());
}
