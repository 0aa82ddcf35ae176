// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "transrank/route/boxes.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/redistribution.hpp"

using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;
using route::Leg;
using route::Segment;

namespace {

BlockGrid grid(const std::vector<int>& parts, std::vector<int> memory_order) {
    std::vector<Distribution> distributions;
    for (const int count : parts) {
        distributions.push_back(Distribution::even(6, count));
    }
    return BlockGrid(std::move(distributions), {.part_order = layout::Order::last_fastest,
                                                .memory_order = std::move(memory_order),
                                                .halo = {},
                                                .ranks = {}});
}

std::vector<Segment> joined(const std::vector<std::span<const Segment>>& boxes) {
    std::vector<Segment> segments;
    for (const auto& box : boxes) {
        segments.insert(segments.end(), box.begin(), box.end());
    }
    return segments;
}

}  // namespace

TEST_CASE("what two blocks share is one box, whatever the dimensions and their order") {
    const auto source = grid({2, 1, 2, 1}, {0, 1, 2, 3});
    for (const auto& order : {std::vector{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}}) {
        const auto destination = grid({1, 2, 1, 2}, order);
        for (int rank = 0; rank < 4; ++rank) {
            const auto route = route::redistribution(rank, 4, source, destination);
            REQUIRE(route.receives().size() == 4);
            for (const auto& leg : route.receives()) {
                CHECK(route::boxes(leg).size() == 1);
            }
        }
    }
}

TEST_CASE("groups of different shape or distance are boxes of their own, in their order") {
    const Segment line{.source = 0, .destination = 0, .length = 2};
    const auto at = [&](std::int64_t source, std::int64_t destination) {
        return Segment{.source = source, .destination = destination, .length = 2};
    };
    // Two planes of two lines, a line elsewhere, a longer one.
    const Leg leg{.peer = 0,
                  .segments = {line,
                               at(5, 3),
                               at(20, 9),
                               at(25, 12),
                               at(90, 20),
                               {.source = 95, .destination = 40, .length = 3}}};
    const auto boxes = route::boxes(leg);
    REQUIRE(boxes.size() == 3);
    CHECK(boxes[0].size() == 4);
    CHECK(boxes[1].size() == 1);
    CHECK(boxes[2].size() == 1);
    CHECK(joined(boxes) == leg.segments);
}

TEST_CASE("nothing has no box") {
    CHECK(route::boxes({.peer = 0, .segments = {}}).empty());
}
