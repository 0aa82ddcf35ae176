// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/packed_segments.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

using namespace transrank::route;

TEST_CASE("segments are the same when they were packed, also those that nobody has") {
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
        if (segments.back().count != 1) {
            segments.back().source_stride = number();
            segments.back().destination_stride = -number();
        }
    }
    CHECK(unpacked(packed(segments)) == segments);
    CHECK(unpacked(packed({})).empty());
}

TEST_CASE("single rows at short distances take a few bytes") {
    std::vector<Segment> rows;
    for (std::int64_t i = 0; i < 1000; ++i) {
        rows.push_back(
            {.source = 1'000'000 + (3 * i) + (i * i % 2), .destination = i, .length = 1});
    }
    CHECK(packed(rows).size() <= 3 * rows.size());
}

TEST_CASE("bytes that end too early are refused") {
    const std::vector<Segment> rows{{.source = 1000, .destination = 7, .length = 300}};
    const auto bytes = packed(rows);
    for (std::size_t kept = 1; kept < bytes.size(); ++kept) {
        CHECK_THROWS_AS((void)unpacked(std::span(bytes).first(kept)), std::invalid_argument);
    }
}
