// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/block_grid.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace transrank::layout;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

BlockGrid grid(GridOptions options = {}) {
    return BlockGrid({Distribution::even(6, 2), Distribution::even(4, 3), Distribution::even(5, 1)},
                     std::move(options));
}

}  // namespace

TEST_CASE("parts are numbered with the last or the first coordinate fastest") {
    const auto c = grid();
    const auto fortran = grid({.part_order = Order::first_fastest});
    CHECK(c.part({1, 2, 0}) == 5);
    CHECK(fortran.part({1, 2, 0}) == 5);
    CHECK(c.part({1, 0, 0}) == 3);
    CHECK(fortran.part({1, 0, 0}) == 1);
    for (int part = 0; part < 6; ++part) {
        CHECK(c.part(c.coordinates(part)) == part);
        CHECK(fortran.part(fortran.coordinates(part)) == part);
    }
}

TEST_CASE("local arrays are dense in the memory order, halo included") {
    const auto made = grid(
        {.memory_order = {0, 2, 1}, .halo = {Halo{.low = 1, .high = 2}, Halo{}, Halo{.high = 1}}});
    CHECK(made.local_extents(0) == PerDimension<std::int64_t>{6, 2, 6});
    CHECK(made.strides({0, 0, 0}) == PerDimension<std::int64_t>{1, 36, 6});
    CHECK(made.units(0) == 72);
    CHECK(made.shape(0) == std::vector<std::int64_t>{2, 6, 6});
    CHECK(grid().strides({0, 0, 0}) == PerDimension<std::int64_t>{10, 5, 1});
}

TEST_CASE("the box of a rank is what it owns, without halo") {
    const auto halo = Halo{.low = 1, .high = 1};
    const auto made =
        grid({.halo = {halo, halo, halo}, .ranks = RankMap::listed({9, 3, 7, 0, 2, 5})});
    const auto box = made.box(0);
    CHECK(box[0] == IndexRange{.begin = 3, .end = 6});
    CHECK(box[1] == IndexRange{.begin = 0, .end = 2});
    CHECK(box[2] == IndexRange{.begin = 0, .end = 5});
    CHECK(made.box(1) == PerDimension<IndexRange>{});  // has no part
    const BlockGrid cyclic({Distribution::even(4, 1), Distribution::cyclic(5, 3)});
    CHECK(cyclic.box(2)[1] == IndexRange{.begin = 2, .end = 3});
    CHECK_THROWS_WITH_AS((void)cyclic.box(1),
                         "rank 1 owns 2 ranges of dimension 1, so its cells are not a box; "
                         "Distribution.ranges gives them",
                         std::invalid_argument);
}

TEST_CASE("a part without cells has no halo where it is empty, and its lengths elsewhere") {
    const BlockGrid made({Distribution::even(2, 3), Distribution::even(4, 1)},
                         {.halo = {Halo{.low = 1, .high = 1}, Halo{.low = 1, .high = 1}}});
    CHECK(made.units(1) == 18);
    CHECK(made.units(2) == 0);
    CHECK(made.local_extents(2) == PerDimension<std::int64_t>{0, 6});
    CHECK(made.shape(2) == std::vector<std::int64_t>{0, 6});
    CHECK(made.box(2) == PerDimension<IndexRange>{IndexRange{}, IndexRange{.begin = 0, .end = 4}});
    CHECK(made.local_extents(3) == PerDimension<std::int64_t>{});  // has no part
    CHECK(made.shape(3) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("ranks may be a few of all, in any order") {
    const auto made = grid({.ranks = RankMap::listed({9, 3, 7, 0, 2, 5})});
    CHECK(made.rank({0, 2, 0}) == 7);
    CHECK(made.ranks().part(7) == 2);
    CHECK(made.ranks().part(4) == -1);
    CHECK(made.ranks().highest() == 9);
    CHECK(made.units(4) == 0);
    const auto every_third = RankMap::consecutive(4, 1, 3);
    CHECK(every_third.rank(3) == 10);
    CHECK(every_third.part(7) == 2);
    CHECK(every_third.part(8) == -1);
    CHECK(every_third.part(13) == -1);
}

TEST_CASE("what makes no grid is refused with its values") {
    CHECK_THROWS_WITH_AS(BlockGrid({}), "a grid of 0 dimensions; it must have 1 to 6",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.memory_order = {0, 1, 1}}),
                         "the memory order names dimension 1 twice, or there is none; give each "
                         "of 0 to 2 once, the fastest first",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.memory_order = {0, 1}}), "the memory order names 2 dimensions of 3",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.halo = {Halo{}}}), "halos are given for 1 dimensions of 3",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.halo = {Halo{.low = -1}, Halo{}, Halo{}}}),
                         "the halo widths -1 and 0 of dimension 0 must be at least 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.halo = {Halo{}, Halo{.high = 5, .periodic = true}, Halo{}}}),
                         "the halo widths 0 and 5 of dimension 1 wrap around its extent 4 more "
                         "than once; use narrower halos",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.halo = {Halo{}, Halo{.low = most, .high = most}, Halo{}}}),
                         "the halo widths 9223372036854775807 and 9223372036854775807 of dimension "
                         "1 exceed what 64 bits can count",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        BlockGrid({Distribution::cyclic(4, 2)}, {.halo = {Halo{.low = 1}}}),
        "dimension 0 has a halo, but its distribution is block-cyclic; give it one range per part, "
        "or no halo",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(grid({.ranks = RankMap::consecutive(5)}),
                         "the grid has 6 parts, but ranks are given for 5", std::invalid_argument);
    CHECK_THROWS_WITH_AS(BlockGrid({Distribution::even(1, 65536), Distribution::even(1, 65536)}),
                         "the grid has more than 2147483647 parts; an MPI rank is an int",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)BlockGrid({Distribution::even(most, 1), Distribution::even(2, 1)}).units(0),
        "the local array on rank 0 has more units than 64 bits can count; use more parts",
        std::invalid_argument);
}

TEST_CASE("a rank that would hold two parts or none that exists is refused") {
    CHECK_THROWS_WITH_AS((void)RankMap::listed({4, 1, 4}),
                         "parts 0 and 2 both lie on rank 4; a rank holds at most one part",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)RankMap::listed({4, -1}),
                         "part 1 lies on rank -1; ranks are at least 0", std::invalid_argument);
    CHECK_THROWS_AS((void)RankMap::listed({}), std::invalid_argument);
    CHECK_THROWS_AS((void)RankMap::consecutive(2, 0, 0), std::invalid_argument);
    CHECK_THROWS_AS((void)RankMap::consecutive(2, 2147483647), std::invalid_argument);
}
