// SPDX-License-Identifier: BSD-3-Clause
// A leg in portions moves the same units, in the same order but for transposed boxes.
#include "transrank/copy/portions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "transrank/route/leg.hpp"

using namespace transrank;
using copy::portions_of;

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Source and destination of every unit, in the order of the leg.
void append_units(Pairs& units, const route::Leg& leg) {
    route::for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t run) {
        for (std::int64_t i = 0; i < run; ++i) {
            units.emplace_back(source + i, destination + i);
        }
    });
}

route::Leg random_leg(std::mt19937& random) {
    const auto up_to = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(1, most)(random);
    };
    route::Leg leg{.peer = 3, .segments = {}};
    for (auto left = up_to(5); left > 0; --left) {
        const auto length = up_to(9);
        const bool single = up_to(3) == 1;
        leg.segments.push_back({.source = up_to(100),
                                .destination = up_to(100),
                                .length = length,
                                .count = single ? 1 : up_to(6),
                                .source_stride = single ? 0 : length + up_to(4),
                                .destination_stride = single ? 0 : length});
    }
    return leg;
}

}  // namespace

TEST_CASE("portions together are the leg, and none is too long") {
    std::mt19937 random(7);
    for (int attempt = 0; attempt < 300; ++attempt) {
        const auto leg = random_leg(random);
        Pairs expected;
        append_units(expected, leg);
        for (const std::int64_t units : {1, 2, 5, 16, 1000}) {
            CAPTURE(units);
            Pairs found;
            const auto portions = portions_of(leg, units);
            for (const auto& portion : portions) {
                CHECK(portion.peer == leg.peer);
                CHECK(portion.units() <= units);
                CHECK(portion.units() > 0);
                append_units(found, portion);
            }
            CHECK(found == expected);
            CHECK((units < 1000 || portions.size() == 1));
        }
    }
}

TEST_CASE("a leg of no unit is one portion") {
    CHECK(portions_of({.peer = 1, .segments = {}}, 10).size() == 1);
}

TEST_CASE("portions end where runs do, unless a run is longer") {
    const route::Leg leg{.peer = 0,
                         .segments = {{.source = 0,
                                       .destination = 0,
                                       .length = 4,
                                       .count = 5,
                                       .source_stride = 10,
                                       .destination_stride = 4}}};
    const auto portions = portions_of(leg, 10);
    CHECK(portions.size() == 3);
    CHECK(portions[0].units() == 8);
    CHECK(portions[2].units() == 4);
    CHECK(portions_of(leg, 3).size() == 10);
}

TEST_CASE("a transposed box goes in blocks, of which each row and column is long") {
    route::Leg leg{.peer = 0, .segments = {}};
    for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t i = 0; i < 100; ++i) {
            leg.segments.push_back({.source = (k * 9000) + i,
                                    .destination = (k * 9000) + (90 * i),
                                    .length = 1,
                                    .count = 90,
                                    .source_stride = 100,
                                    .destination_stride = 1});
        }
    }
    Pairs expected;
    append_units(expected, leg);
    Pairs found;
    for (const auto& portion : portions_of(leg, 1024)) {
        CHECK(portion.units() <= 1024);
        CHECK(portion.segments.front().count >= 24);
        CHECK((portion.segments.size() >= 4 || portion.units() < 512));
        append_units(found, portion);
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(found == expected);
}
