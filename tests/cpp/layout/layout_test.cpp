// SPDX-License-Identifier: BSD-3-Clause
#include "testing.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/rows.hpp"

using namespace transrank::layout;

namespace {

/// Every distribution of a few small extents and part counts, and their descriptions.
std::vector<std::pair<std::string, Distribution>> small_ones() {
    std::vector<std::pair<std::string, Distribution>> made;
    for (std::int64_t extent = 0; extent <= 13; ++extent) {
        for (int parts = 1; parts <= 5; ++parts) {
            const auto name = std::to_string(extent) + " over " + std::to_string(parts);
            made.emplace_back("even " + name, Distribution::even(extent, parts));
            for (std::int64_t block = 1; block <= 6; ++block) {
                const int first = static_cast<int>(block) % parts;
                made.emplace_back("blocks of " + std::to_string(block) + ", " + name,
                                  Distribution::block_cyclic(extent, parts, block, first));
            }
        }
    }
    made.emplace_back("irregular", Distribution::irregular({0, 0, 3, 3, 3, 10, 11, 11}));
    made.emplace_back("irregular without indices", Distribution::irregular({0, 0, 0}));
    return made;
}

/// The shortest part that is not empty, the plain way.
std::int64_t shortest(const Distribution& distribution) {
    std::int64_t found = 0;
    for (int part = 0; part < distribution.parts(); ++part) {
        const std::int64_t owned = distribution.owned(part);
        found = owned > 0 && (found == 0 || owned < found) ? owned : found;
    }
    return found;
}

template <class Work>
std::string refusal(const Work& work) {
    return testing::words_of<std::invalid_argument>(work);
}

}  // namespace

TEST_CASE("each index belongs to one part, at the next position there") {
    for (const auto& [name, distribution] : small_ones()) {
        CAPTURE(name);
        std::vector<std::int64_t> owned(static_cast<std::size_t>(distribution.parts()), 0);
        for (std::int64_t index = 0; index < distribution.extent(); ++index) {
            const auto stretch = distribution.stretch(index);
            REQUIRE(stretch.range.contains(index));
            auto& position = owned[static_cast<std::size_t>(stretch.part)];
            CHECK(stretch.position + (index - stretch.range.begin) == position);
            ++position;
        }
        for (int part = 0; part < distribution.parts(); ++part) {
            CHECK(distribution.owned(part) == owned[static_cast<std::size_t>(part)]);
        }
    }
}

TEST_CASE("the ranges of a part are the stretches that its indices lie in") {
    for (const auto& [name, distribution] : small_ones()) {
        CAPTURE(name);
        for (int part = 0; part < distribution.parts(); ++part) {
            std::int64_t owned = 0;
            for (std::int64_t number = 0; number < distribution.ranges(part); ++number) {
                const auto range = distribution.range(part, number);
                const auto stretch = distribution.stretch(range.begin);
                CHECK(stretch.part == part);
                CHECK(stretch.range == range);
                CHECK(stretch.position == distribution.position(number));
                owned += range.length();
            }
            CHECK(owned == distribution.owned(part));
        }
    }
}

TEST_CASE("contiguous means one ascending range per part, and the shortest part is told") {
    for (const auto& [name, distribution] : small_ones()) {
        CAPTURE(name);
        bool contiguous = true;
        std::int64_t end = 0;
        for (int part = 0; part < distribution.parts(); ++part) {
            const auto range = distribution.range(part);
            contiguous = contiguous && distribution.ranges(part) <= 1 &&
                         (range.empty() || range.begin >= end);
            end = range.empty() ? end : range.end;
        }
        CHECK(distribution.is_contiguous() == contiguous);
        CHECK(distribution.shortest().length == shortest(distribution));
        CHECK(distribution.owned(distribution.shortest().part) == shortest(distribution));
    }
}

TEST_CASE("even parts differ by one at most, the longer first; a block of the ceiling is HPF's") {
    const auto even = Distribution::even(10, 4);
    CHECK(even.range(0) == IndexRange{.begin = 0, .end = 3});
    CHECK(even.range(1) == IndexRange{.begin = 3, .end = 6});
    CHECK(even.range(3) == IndexRange{.begin = 8, .end = 10});
    const auto blocks = Distribution::block_cyclic(10, 4, 3);
    CHECK(blocks.is_contiguous());
    CHECK(blocks.range(3) == IndexRange{.begin = 9, .end = 10});
    CHECK(Distribution::cyclic(10, 4).owned(1) == 3);
}

TEST_CASE("extents up to the largest 64-bit integer are told apart to the last index") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const auto& distribution :
         {Distribution::even(most, 1'000'000), Distribution::cyclic(most, 7),
          Distribution::block_cyclic(most, 1000, most / 3, 999),
          Distribution::irregular({0, most / 2, most})}) {
        const auto last = distribution.stretch(most - 1);
        CHECK(last.range.end == most);
        CHECK(last.range.contains(most - 1));
        CHECK(last.position + last.range.length() == distribution.owned(last.part));
    }
}

TEST_CASE("what makes no distribution is refused with its values") {
    CHECK(refusal([&] { return Distribution::even(-1, 2); }) ==
          "the extent is -1; it must be at least 0");
    CHECK(refusal([&] { return Distribution::even(4, 0); }) ==
          "the number of parts is 0; it must be at least 1");
    CHECK(refusal([&] { return Distribution::irregular({0, 5, 3}); }) ==
          "boundaries[2] (3) is below boundaries[1] (5); boundaries must not descend");
    CHECK(refusal([&] {
              return Distribution::irregular({0, std::numeric_limits<std::int64_t>::min(), 3});
          }) ==
          "boundaries[1] (-9223372036854775808) is below boundaries[0] (0); boundaries must not "
          "descend");
    CHECK(refusal([&] { return Distribution::irregular({1, 5}); }) ==
          "boundaries[0] is 1; the first boundary is 0");
    CHECK(refusal([&] { return Distribution::irregular({0}); }) ==
          "1 boundaries make no part; P parts need P + 1 boundaries");
    CHECK(refusal([&] { return Distribution::block_cyclic(4, 2, 0); }) ==
          "the block length is 0; it must be at least 1");
    CHECK(refusal([&] { return Distribution::block_cyclic(4, 2, 1, 2); }) ==
          "the first part is 2; it must be one of the 2 parts, counted from 0");
}

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
    CHECK(refusal([&] { return BlockGrid({}); }) == "a grid of 0 dimensions; it must have 1 to 6");
    CHECK(refusal([&] { return grid({.memory_order = {0, 1, 1}}); }) ==
          "the memory order names dimension 1 twice, or there is none; give each "
          "of 0 to 2 once, the fastest first");
    CHECK(refusal([&] { return grid({.memory_order = {0, 1}}); }) ==
          "the memory order names 2 dimensions of 3");
    CHECK(refusal([&] { return grid({.halo = {Halo{}}}); }) ==
          "halos are given for 1 dimensions of 3");
    CHECK(refusal([&] { return grid({.halo = {Halo{.low = -1}, Halo{}, Halo{}}}); }) ==
          "the halo widths -1 and 0 of dimension 0 must be at least 0");
    CHECK(refusal([&] {
              return grid({.halo = {Halo{}, Halo{.high = 5, .periodic = true}, Halo{}}});
          }) ==
          "the halo widths 0 and 5 of dimension 1 wrap around its extent 4 more "
          "than once; use narrower halos");
    CHECK(refusal(
              [&] { return grid({.halo = {Halo{}, Halo{.low = most, .high = most}, Halo{}}}); }) ==
          "the halo widths 9223372036854775807 and 9223372036854775807 of dimension "
          "1 exceed what 64 bits can count");
    CHECK(
        refusal(
            [&] { return BlockGrid({Distribution::cyclic(4, 2)}, {.halo = {Halo{.low = 1}}}); }) ==
        "dimension 0 has a halo, but its distribution is block-cyclic; give it one range per part, "
        "or no halo");
    CHECK(refusal([&] { return grid({.ranks = RankMap::consecutive(5)}); }) ==
          "the grid has 6 parts, but ranks are given for 5");
    CHECK(refusal([&] {
              return BlockGrid({Distribution::even(1, 65536), Distribution::even(1, 65536)});
          }) == "the grid has more than 2147483647 parts; an MPI rank is an int");
    CHECK(refusal([&] {
              return BlockGrid({Distribution::even(most, 1), Distribution::even(2, 1)}).units(0);
          }) == "the local array on rank 0 has more units than 64 bits can count; use more parts");
}

TEST_CASE("a rank that would hold two parts or none that exists is refused") {
    CHECK(refusal([&] { return RankMap::listed({4, 1, 4}); }) ==
          "parts 0 and 2 both lie on rank 4; a rank holds at most one part");
    CHECK(refusal([&] { return RankMap::listed({4, -1}); }) ==
          "part 1 lies on rank -1; ranks are at least 0");
    CHECK_THROWS_AS((void)RankMap::listed({}), std::invalid_argument);
    CHECK_THROWS_AS((void)RankMap::consecutive(2, 0, 0), std::invalid_argument);
    CHECK_THROWS_AS((void)RankMap::consecutive(2, 2147483647), std::invalid_argument);
}

TEST_CASE("rows of one length lie at one pitch") {
    const auto plain = Rows::fixed(3, 5);
    CHECK(plain.begin(2) == 10);
    CHECK(plain.units() == 15);
    CHECK(plain.is_fixed());
    const auto aligned = Rows::fixed(3, 5, 4);
    CHECK(aligned.pitch() == 8);
    CHECK(aligned.begin(2) == 16);
    CHECK(aligned.length(2) == 5);
    CHECK(aligned.units() == 24);
}

TEST_CASE("rows of a bounded length have room for the bound each") {
    const auto rows = Rows::bounded({2, 0, 3}, 3, 2);
    CHECK(rows.begin(2) == 8);
    CHECK(rows.length(1) == 0);
    CHECK(rows.length(2) == 3);
    CHECK(rows.units() == 12);
    CHECK(rows.pitch() == 4);
    CHECK_FALSE(rows.is_fixed());
}

TEST_CASE("rows of any length follow each other") {
    const auto rows = Rows::variable({2, 0, 3});
    CHECK(rows.begin(1) == 2);
    CHECK(rows.begin(2) == 2);
    CHECK(rows.units() == 5);
    CHECK(rows.pitch() == 0);
    const auto aligned = Rows::variable({2, 0, 5, 1}, 4);
    CHECK(aligned.begin(2) == 4);
    CHECK(aligned.begin(3) == 12);
    CHECK(aligned.units() == 16);
    const auto csr = Rows::from_offsets({4, 6, 6, 9});
    CHECK(csr.rows() == 3);
    CHECK(csr.begin(0) == 4);
    CHECK(csr.length(2) == 3);
    CHECK(csr.units() == 9);
    CHECK(Rows::variable({}).units() == 0);
}

TEST_CASE("what makes no rows is refused with its values") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK(refusal([&] { return Rows::fixed(-1, 3); }) ==
          "-1 rows of 3 units are out of range; both are at least 0");
    CHECK(refusal([&] { return Rows::fixed(1, 3, 0); }) ==
          "the row alignment is 0 units; it must be at least 1 (1: rows are not aligned)");
    CHECK(refusal([&] { return Rows::bounded({2, 4}, 3); }) ==
          "row 1 has 4 units, more than the bound 3; raise the bound");
    CHECK(refusal([&] { return Rows::variable({2, -4}); }) ==
          "row 1 has -4 units; a row has at least 0");
    CHECK(refusal([&] { return Rows::from_offsets({0, 3, 2}); }) ==
          "row 1 begins at offset 3 and ends at 2; offsets must not descend");
    CHECK_THROWS_AS((void)Rows::from_offsets({}), std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::from_offsets({-1, 2}), std::invalid_argument);
    CHECK(refusal([&] { return Rows::fixed(most, 2); }) ==
          "the rows have more units than 64 bits can count");
    CHECK_THROWS_AS((void)Rows::variable({most, 1}), std::invalid_argument);
    CHECK_THROWS_AS((void)Rows::variable({most}, 4), std::invalid_argument);
}
