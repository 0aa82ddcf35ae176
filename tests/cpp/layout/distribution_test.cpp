// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/distribution.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
    CHECK_THROWS_WITH_AS((void)Distribution::even(-1, 2), "the extent is -1; it must be at least 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Distribution::even(4, 0),
                         "the number of parts is 0; it must be at least 1", std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)Distribution::irregular({0, 5, 3}),
        "boundaries[2] (3) is below boundaries[1] (5); boundaries must not descend",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)Distribution::irregular({0, std::numeric_limits<std::int64_t>::min(), 3}),
        "boundaries[1] (-9223372036854775808) is below boundaries[0] (0); boundaries must not "
        "descend",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Distribution::irregular({1, 5}),
                         "boundaries[0] is 1; the first boundary is 0", std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Distribution::irregular({0}),
                         "1 boundaries make no part; P parts need P + 1 boundaries",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Distribution::block_cyclic(4, 2, 0),
                         "the block length is 0; it must be at least 1", std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)Distribution::block_cyclic(4, 2, 1, 2),
                         "the first part is 2; it must be one of the 2 parts, counted from 0",
                         std::invalid_argument);
}
