// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/consistency.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"

using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;
using layout::Halo;
using route::Segment;

namespace {

/// n x n x n cells, the first dimension fastest in memory.
BlockGrid cube(std::int64_t n, const std::vector<int>& parts, const Halo& halo = {}) {
    std::vector<Distribution> distributions;
    distributions.reserve(parts.size());
    for (const int count : parts) {
        distributions.push_back(Distribution::even(n, count));
    }
    return BlockGrid(std::move(distributions),
                     {.memory_order = {0, 1, 2}, .halo = std::vector<Halo>(parts.size(), halo)});
}

}  // namespace

TEST_CASE("slabs that are contiguous on both sides are one run") {
    const auto route = route::redistribution(0, 2, cube(8, {1, 1, 2}), cube(8, {1, 1, 1}));
    REQUIRE(route.sends().size() == 1);
    CHECK(route.sends()[0].segments ==
          std::vector<Segment>{{.source = 0, .destination = 0, .length = 256}});
}

TEST_CASE("a box is a strided segment per plane, whatever the number of ranks") {
    for (const int parts : {2, 4, 8}) {
        const int ranks = parts * parts * parts;
        const auto route = route::redistribution(ranks - 1, ranks, cube(16, {parts, parts, parts}),
                                                 cube(16, {1, 1, 1}));
        REQUIRE(route.sends().size() == 1);
        const auto& segments = route.sends()[0].segments;
        CHECK(segments.size() == static_cast<std::size_t>(16 / parts));
        CHECK(segments.front().length == 16 / parts);
        CHECK(segments.front().count == 16 / parts);
        CHECK(segments.front().destination_stride == 16);
    }
}

TEST_CASE("a transposition has one segment per row of the destination") {
    const BlockGrid rows({Distribution::even(4, 1), Distribution::even(6, 1)});
    const BlockGrid columns({Distribution::even(4, 1), Distribution::even(6, 1)},
                            {.memory_order = {0, 1}});
    const auto route = route::redistribution(0, 1, rows, columns);
    const auto segments = route.sends()[0].segments;
    REQUIRE(segments.size() == 6);
    CHECK(*std::next(segments.begin()) == Segment{.source = 1,
                                                  .destination = 4,
                                                  .length = 1,
                                                  .count = 4,
                                                  .source_stride = 6,
                                                  .destination_stride = 1});
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

TEST_CASE("two ranks around a periodic dimension are each other's neighbor on both sides") {
    const auto grid = cube(4, {2, 1, 1}, {.low = 1, .high = 1, .periodic = true});
    const std::vector<route::Route> routes{route::halo(0, 2, grid, route::Corners::left_out),
                                           route::halo(1, 2, grid, route::Corners::left_out)};
    route::check_consistent(routes);
    const auto& receives = routes[0].receives();
    REQUIRE(receives.size() == 2);
    CHECK(receives[0].peer == 0);  // the dimensions that are not divided wrap around to itself
    CHECK(receives[0].units() == 4 * 2 * 4);
    CHECK(receives[1].units() == 2 * 16);
}

TEST_CASE("a rank that holds nothing has an empty route") {
    const BlockGrid one({Distribution::even(4, 1)}, {.ranks = layout::RankMap::listed({1})});
    const auto route = route::redistribution(2, 3, one, one);
    CHECK(route.sends().empty());
    CHECK(route.source_extent() == 0);
    const BlockGrid surrounded({Distribution::even(4, 1)},
                               {.halo = {layout::Halo{.low = 1, .high = 1, .periodic = true}},
                                .ranks = layout::RankMap::listed({1})});
    CHECK(route::halo(2, 3, surrounded).receives().empty());
    CHECK_THROWS_AS((void)route::halo(2, 3, one), std::invalid_argument);  // has no halo
    const BlockGrid bare({Distribution::even(4, 1)}, {.halo = {layout::Halo{}}});
    CHECK(route::halo(0, 1, bare).receives().empty());  // has one of width 0
}
