// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/segments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

using namespace transrank::route;

namespace {

std::vector<Segment> listed(const Segments& segments) {
    return {segments.begin(), segments.end()};
}

/// Segments of all kinds of numbers, also those that nobody has.
std::vector<Segment> random_segments() {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    std::mt19937_64 random(1);
    std::vector<Segment> segments{
        {.source = most, .destination = 0, .length = 1},
        {.source = 0, .destination = most, .length = most},
        {.source = least, .destination = -1, .length = 0, .count = least, .source_stride = most},
        {},
        {.count = 0}};
    for (int i = 0; i < 3000; ++i) {
        const auto number = [&] { return static_cast<std::int64_t>(random() >> (random() % 64)); };
        segments.push_back({.source = number(),
                            .destination = number(),
                            .length = number(),
                            .count = random() % 2 == 0 ? 1 : number(),
                            .source_stride = 0,
                            .destination_stride = 0});
        if (random() % 2 == 0) {
            segments.back().source_stride = number();
            segments.back().destination_stride = -number();
        }
    }
    return segments;
}

/// Single rows at short distances, as of ghosts in ascending order.
std::vector<Segment> random_rows(std::int64_t count) {
    std::mt19937_64 random(2);
    std::vector<Segment> rows;
    std::int64_t source = 1'000'000;
    for (std::int64_t i = 0; i < count; ++i) {
        source += 2 + static_cast<std::int64_t>(random() % 5);
        rows.push_back({.source = source, .destination = i, .length = 1});
    }
    return rows;
}

}  // namespace

TEST_CASE("segments come back as they were given, one by one and packed") {
    const auto all = random_segments();
    for (const std::size_t count :
         std::vector<std::size_t>{0, 1, 32, 33, 34, 47, 48, 49, 64, 65, all.size()}) {
        const std::vector<Segment> some(all.begin(),
                                        all.begin() + static_cast<std::ptrdiff_t>(count));
        const Segments segments(some);
        CHECK(segments.size() == count);
        CHECK(segments.empty() == (count == 0));
        CHECK(listed(segments) == some);
        auto further = Segments::unpacked(segments.packed());
        CHECK(listed(further) == some);
        CHECK(further == segments);
        CHECK(further.checksum() == segments.checksum());
        CHECK(further.outline() == segments.outline());
        auto expected = some;
        further.append(some);
        expected.insert(expected.end(), some.begin(), some.end());
        CHECK(further == Segments(expected));
        CHECK(further.outline() == Segments(expected).outline());
        CHECK(listed(turned(turned(segments))) == some);
    }
}

TEST_CASE("a copy that grows leaves the others as they are") {
    const auto rows = random_rows(100);
    const Segments segments(rows);
    auto copy = segments;
    CHECK(copy == segments);
    copy.push_back({.source = 1, .destination = 2, .length = 3});
    CHECK(copy.size() == 101);
    CHECK(listed(segments) == rows);
    CHECK_FALSE(copy == segments);
    CHECK(copy.checksum() != segments.checksum());
    auto other = rows;
    ++other.back().source;
    CHECK_FALSE(Segments(other) == segments);
    CHECK(Segments(other).checksum() != segments.checksum());
}

TEST_CASE("an outline says what the segments say one by one") {
    std::mt19937_64 random(3);
    const auto below = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(random() % most);
    };
    for (int repetition = 0; repetition < 300; ++repetition) {
        Segments segments;
        Outline expected;
        std::int64_t highest = 0;
        bool ascends = true;
        for (auto left = below(80); left >= 0; --left) {
            Segment segment{.source = below(3) == 0 ? below(100) : expected.source_end,
                            .destination = below(20) == 0 ? below(100) : highest + below(2),
                            .length = 1 + below(3),
                            .count = 1 + below(3)};
            if (segment.count > 1) {
                segment.source_stride = below(5);
                segment.destination_stride = segment.length + below(2);
            }
            segments.push_back(segment);
            for (std::int64_t i = 0; i < segment.count; ++i) {
                const auto from = segment.source + (i * segment.source_stride);
                const auto to = segment.destination + (i * segment.destination_stride);
                expected.units += segment.length;
                ++expected.runs;
                ascends = ascends && to >= highest;
                highest = std::max(highest, to + segment.length);
                expected.source_end = std::max(expected.source_end, from + segment.length);
            }
        }
        const auto outline = segments.outline();
        REQUIRE(outline.segments == std::ssize(listed(segments)));
        REQUIRE(outline.units == expected.units);
        REQUIRE(outline.runs == expected.runs);
        REQUIRE(outline.source_end == expected.source_end);
        REQUIRE(outline.destination_end == highest);
        REQUIRE((outline.descents == 0) == ascends);
        REQUIRE(outline.ill_formed == 0);
    }
}

TEST_CASE("an outline notices every segment that is not well formed") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const Segment& wrong :
         {Segment{.source = -1, .length = 1}, Segment{.destination = -1, .length = 1},
          Segment{.length = 0}, Segment{.length = 1, .count = 0},
          Segment{.length = 1, .source_stride = 1}, Segment{.source = most, .length = 1},
          Segment{.destination = most, .length = 1}, Segment{.length = most, .count = 3},
          Segment{.length = 1, .count = 3, .source_stride = most},
          Segment{.length = 1, .count = 3, .destination_stride = most},
          Segment{.length = 1, .count = 2, .source_stride = -1}}) {
        for (const std::int64_t before : {0, 40}) {
            Segments segments(random_rows(before));
            segments.push_back(wrong);
            CHECK(segments.outline().ill_formed > 0);
        }
    }
    CHECK(Segments{{.length = most}, {.length = 1}}.outline().ill_formed > 0);
}

TEST_CASE("single rows at short distances take a byte or two each") {
    const auto rows = random_rows(10'000);
    CHECK(Segments(rows).packed().size() <= 3 * rows.size() / 2);
    auto segments = turned(rows);
    CHECK(segments.packed().size() <= 3 * rows.size() / 2);
    CHECK(segments.memory_bytes() <= 2 * rows.size());
}

TEST_CASE("bytes that are fewer or more than they say are refused") {
    for (const Segments& rows :
         {Segments{{.source = 1000, .destination = 7, .length = 300}}, Segments(random_rows(40))}) {
        const auto bytes = rows.packed();
        for (std::size_t kept = 1; kept < bytes.size(); ++kept) {
            CHECK_THROWS_AS((void)Segments::unpacked(std::span(bytes).first(kept)),
                            std::invalid_argument);
        }
    }
    auto more = Segments(random_rows(40)).packed();
    more.push_back(more.back());
    CHECK_THROWS_AS((void)Segments::unpacked(more), std::invalid_argument);
}
