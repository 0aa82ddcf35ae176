// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/segments.hpp"

#include "testing.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/route/compressor.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/leg_builder.hpp"

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
        for (auto loops = random() % 6; loops > 2; --loops) {
            segments.back().further.push_back(
                {.count = number(), .source_stride = number(), .destination_stride = -number()});
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

TEST_CASE("loops around a segment repeat it, and prolong what they go on from") {
    Segment box{.source = 7, .destination = 3, .length = 1};
    box.repeat({.count = 4, .source_stride = 1, .destination_stride = 1});
    box.repeat({.count = 3, .source_stride = 4, .destination_stride = 4});
    CHECK(box == Segment{.source = 7, .destination = 3, .length = 12});
    box.repeat({});
    box.repeat({.count = 2, .source_stride = 12, .destination_stride = 20});
    box.repeat({.count = 2, .source_stride = 24, .destination_stride = 40});
    box.repeat({.count = 5, .source_stride = 50, .destination_stride = 80});
    box.repeat({.count = 2, .source_stride = 250, .destination_stride = 400});
    box.repeat({.count = 2, .source_stride = 500, .destination_stride = 1});
    CHECK(box == Segment{.source = 7,
                         .destination = 3,
                         .length = 12,
                         .count = 4,
                         .source_stride = 12,
                         .destination_stride = 20,
                         .further = {{10, 50, 80}, {2, 500, 1}}});
    CHECK(box.units() == 960);
    const Row first = row_of(box);
    CHECK(segment_of(first).units() == 48);
    std::vector<std::int64_t> begins;
    for_each_row(box, [&](const Row& row) { begins.push_back(row.source); });
    REQUIRE(begins.size() == 20);
    CHECK(begins[9] == 457);
    CHECK(begins[10] == 507);
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
        std::int64_t source_before = 0;
        std::int64_t before = 0;
        bool ascends = true;
        for (auto left = below(80); left >= 0; --left) {
            Segment segment{.source = below(3) == 0 ? below(100) : expected.source_end,
                            .destination = below(20) == 0 ? below(100) : highest + below(2),
                            .length = 1 + below(3),
                            .count = 1 + below(3)};
            if (segment.count > 1) {
                segment.source_stride = below(5);
                segment.destination_stride = segment.length + below(2);
                auto extent = segment.count * segment.destination_stride;
                for (auto loops = below(3); loops > 0; --loops) {
                    const Loop loop{.count = 2 + below(2),
                                    .source_stride = below(9),
                                    .destination_stride = extent - below(3)};
                    extent += loop.count * loop.destination_stride;
                    segment.further.push_back(loop);
                }
            }
            segments.push_back(segment);
            const auto add_run = [&](std::int64_t from, std::int64_t to, std::int64_t length) {
                expected.units += length;
                ++expected.runs;
                expected.source_stretches += from == source_before && expected.runs > 1 ? 0 : 1;
                expected.destination_stretches += to == before && expected.runs > 1 ? 0 : 1;
                ascends = ascends && to >= before;
                source_before = from + length;
                before = to + length;
                highest = std::max(highest, before);
                expected.source_end = std::max(expected.source_end, source_before);
            };
            for_each_run({.peer = 0, .segments = {segment}}, add_run);
        }
        const auto outline = segments.outline();
        REQUIRE(outline.segments == std::ssize(listed(segments)));
        REQUIRE(outline.units == expected.units);
        REQUIRE(outline.runs == expected.runs);
        REQUIRE(outline.source_end == expected.source_end);
        REQUIRE(outline.destination_end == highest);
        REQUIRE(outline.source_stretches == expected.source_stretches);
        REQUIRE(outline.destination_stretches == expected.destination_stretches);
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
          Segment{.length = 1, .count = 2, .source_stride = -1},
          Segment{.length = 1, .further = {{.count = 2}}},
          Segment{.length = 1, .count = 2, .further = {{}}},
          Segment{.length = 1, .count = 2, .further = {{.count = 2, .source_stride = -1}}},
          Segment{.length = 1, .count = 2, .further = {{.count = 2, .destination_stride = -1}}},
          Segment{.length = 1, .count = 2, .further = {{.count = most}}},
          Segment{.length = 1,
                  .count = 2,
                  .further = {{.count = 2}, {.count = 2, .source_stride = most}}},
          Segment{.length = 1,
                  .count = 2,
                  .destination_stride = most / 2,
                  .further = {{.count = 3, .destination_stride = most / 2}}}}) {
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

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::vector<Segment> compressed(const Pairs& pairs) {
    Compressor runs;
    for (const auto& [source, destination] : pairs) {
        runs.add(source, destination, 1);
    }
    const auto segments = runs.finish();
    return {segments.begin(), segments.end()};
}

Pairs expanded(const Segments& segments) {
    Pairs pairs;
    for_each_run({.peer = 0, .segments = segments},
                 [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                     for (std::int64_t i = 0; i < length; ++i) {
                         pairs.emplace_back(source + i, destination + i);
                     }
                 });
    return pairs;
}

}  // namespace

TEST_CASE("neighbors on both sides are one run, equal distances one strided segment") {
    CHECK(compressed({}).empty());
    CHECK(compressed({{5, 0}, {6, 1}, {7, 2}}) ==
          std::vector<Segment>{{.source = 5, .destination = 0, .length = 3}});
    CHECK(compressed({{0, 0}, {4, 1}, {8, 2}}) == std::vector<Segment>{{.source = 0,
                                                                        .destination = 0,
                                                                        .length = 1,
                                                                        .count = 3,
                                                                        .source_stride = 4,
                                                                        .destination_stride = 1}});
    CHECK(compressed({{0, 0}, {1, 1}, {9, 2}, {10, 3}, {18, 4}, {19, 5}}) ==
          std::vector<Segment>{{.source = 0,
                                .destination = 0,
                                .length = 2,
                                .count = 3,
                                .source_stride = 9,
                                .destination_stride = 2}});
}

TEST_CASE("one unit sent again and again is a segment of source stride 0") {
    const auto segments = compressed({{5, 0}, {5, 1}, {5, 2}});
    REQUIRE(segments.size() == 1);
    CHECK(segments[0].source_stride == 0);
    CHECK(segments[0].count == 3);
}

TEST_CASE("strides are never negative") {
    CHECK(compressed({{9, 0}, {8, 1}, {7, 2}}).size() == 3);
    CHECK(compressed({{0, 9}, {5, 6}, {10, 3}}).size() == 3);
}

TEST_CASE("a pair does not steal the first of a longer row") {
    // 0 and 5 would make a pair; 5, 7, 9, 11 belong together.
    const auto segments = compressed({{0, 0}, {5, 1}, {7, 2}, {9, 3}, {11, 4}});
    REQUIRE(segments.size() == 2);
    CHECK(segments[0].count == 1);
    CHECK(segments[1].count == 4);
    // Pairs that nothing longer follows stay pairs.
    CHECK(compressed({{0, 0}, {5, 1}, {20, 2}, {25, 3}, {40, 4}, {45, 5}}).size() == 3);
}

TEST_CASE("whatever is compressed expands to the same pairs in the same order") {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same every time
    for (int repetition = 0; repetition < 2000; ++repetition) {
        Pairs pairs;
        const auto pieces = static_cast<std::int64_t>(random() % 8);
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            auto source = static_cast<std::int64_t>(random() % 40);
            auto destination = static_cast<std::int64_t>(random() % 40);
            const auto stride = static_cast<std::int64_t>(random() % 4);
            for (auto i = random() % 6; i > 0; --i) {
                pairs.emplace_back(source, destination);
                source += stride;
                ++destination;
            }
        }
        const auto segments = compressed(pairs);
        REQUIRE(expanded(segments) == pairs);
        for (const auto& segment : segments) {
            REQUIRE(segment.source_stride >= 0);
            REQUIRE(segment.destination_stride >= 0);
        }
    }
}

TEST_CASE("legs are told apart by peer, however many there are") {
    LegBuilder legs;
    std::vector<Pairs> expected(100);
    std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed): the same every time
    for (std::int64_t i = 0; i < 3000; ++i) {
        const int peer = static_cast<int>(random() % expected.size());
        const auto source = static_cast<std::int64_t>(random() % 50);
        expected[static_cast<std::size_t>(peer)].emplace_back(source, i);
        legs.add(peer, source, i, 1);
    }
    const auto made = legs.finish();
    REQUIRE(made.size() == expected.size());
    for (std::size_t peer = 0; peer < made.size(); ++peer) {
        CHECK(made[peer].peer == static_cast<int>(peer));
        CHECK(expanded(made[peer].segments) == expected[peer]);
    }
    CHECK(legs.finish().empty());
}

TEST_CASE("the checksum is XXH64 of the words in little endian order") {
    // Computed by the reference implementation for words 1 + i * 0x0123456789abcdef.
    for (const auto& [words, expected] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 0xef46db3751d8e999},
          {1, 0x9f29cb17a2a49995},
          {3, 0x9fca5d07f7ff028e},
          {4, 0xb12c2212fc853b0f},
          {5, 0xd4c4f93a60b8eabf},
          {8, 0xad2206b1f44fc08c},
          {12, 0x187b707fce4e48a7},
          {13, 0x83412b9d13787901}}) {
        Checksum sum;
        for (std::uint64_t i = 0; i < words; ++i) {
            sum.add((i * 0x0123456789ABCDEF) + 1);
        }
        CHECK(sum.value() == expected);
    }
}

TEST_CASE("the checksum of a leg depends on every field and not on the peer") {
    const Segment segment{.source = 1,
                          .destination = 2,
                          .length = 3,
                          .count = 4,
                          .source_stride = 5,
                          .destination_stride = 6,
                          .further = {{.count = 7, .source_stride = 8, .destination_stride = 9}}};
    const std::uint64_t sum = checksum(Leg{.peer = 0, .segments = {segment}});
    CHECK(sum == checksum(Leg{.peer = 1, .segments = {segment}}));
    for (const auto field :
         {&Segment::source, &Segment::destination, &Segment::length, &Segment::count,
          &Segment::source_stride, &Segment::destination_stride}) {
        Segment other = segment;
        other.*field += 1;
        CHECK(checksum(Leg{.peer = 0, .segments = {other}}) != sum);
    }
    for (const auto field : {&Loop::count, &Loop::source_stride, &Loop::destination_stride}) {
        Segment other = segment;
        other.further.front().*field += 1;
        CHECK(checksum(Leg{.peer = 0, .segments = {other}}) != sum);
    }
    CHECK(checksum(Leg{.peer = 0, .segments = {segment, segment}}) != sum);
}
