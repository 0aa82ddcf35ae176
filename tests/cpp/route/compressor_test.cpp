// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compressor.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "transrank/route/leg.hpp"
#include "transrank/route/leg_builder.hpp"

using namespace transrank::route;

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
