// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
// Which runs count as short ones on cache lines of their own.
#include "transrank/transport/shared/scatter.hpp"

#include "testing.hpp"

using transrank::route::Leg;
using transrank::transport::Mixture;
using transrank::transport::Scatter;

namespace {

constexpr std::int64_t unit_bytes = 8;

Scatter of(const Leg& leg, std::int64_t short_below_bytes = 64) {
    Scatter scatter;
    scatter.add(leg, unit_bytes, short_below_bytes);
    return scatter;
}

/// A column of a grid into a column of another, so many units from a row to the next.
Leg column(std::int64_t source_stride, std::int64_t destination_stride, std::int64_t width = 1) {
    return {.peer = 1,
            .segments = {{.source = 3,
                          .destination = 5,
                          .length = width,
                          .count = 256,
                          .source_stride = source_stride,
                          .destination_stride = destination_stride}}};
}

}  // namespace

TEST_CASE("columns are apart where both ends have a line for each run") {
    CHECK(of(column(264, 264)).prevails());
    CHECK(of(column(264, 264)).apart_runs == 256);
    CHECK(of(column(264, 264)).apart_bytes == 2048);
    CHECK(of(column(8, 8)).prevails());
    CHECK_FALSE(of(column(7, 264)).prevails());
    CHECK_FALSE(of(column(264, 1)).prevails());
}

TEST_CASE("columns of several planes are apart as one by one") {
    auto planes = column(264, 264);
    auto& box = planes.segments;
    auto segment = box.front();
    segment.further = {{.count = 3, .source_stride = 100'000, .destination_stride = 80'000}};
    box = {segment};
    CHECK(of(planes).prevails());
    CHECK(of(planes).apart_runs == 3 * 256);
    CHECK(of(planes).bytes == 3 * 2048);
    box.push_back({.source = 900'000, .destination = 255'060, .length = 1});
    CHECK(of(planes).apart_runs == (3 * 256) + 1);
}

TEST_CASE("long runs are not packed") {
    CHECK(of(column(264, 264, 7)).prevails());
    CHECK_FALSE(of(column(264, 264, 8)).prevails());
}

TEST_CASE("what lies one after the other at one end is not apart, however long its pieces") {
    CHECK(of(column(264, 264, 16), 256).prevails());
    CHECK_FALSE(of(column(16, 264, 16), 256).prevails());
    CHECK_FALSE(of(column(264, 16, 16), 256).prevails());
    Leg pieces{.peer = 1, .segments = {}};
    for (std::int64_t i = 0; i < 10; ++i) {
        pieces.segments.push_back({.source = 16 * i, .destination = 264 * i, .length = 16});
    }
    CHECK_FALSE(of(pieces, 256).prevails());
}

TEST_CASE("runs of a list are apart from one another") {
    Leg list{.peer = 1, .segments = {}};
    for (std::int64_t i = 0; i < 100; ++i) {
        list.segments.push_back({.source = 50 * i, .destination = 8 * i, .length = 1});
    }
    CHECK(of(list).prevails());
    list.segments =
        transrank::route::changed(list.segments, [](transrank::route::Segment& segment) {
            segment.destination /= 8;  // ghosts that lie one after the other
        });
    CHECK_FALSE(of(list).prevails());
}

TEST_CASE("a row beside a column decides by its length") {
    auto leg = column(264, 264);
    auto longer = leg;
    leg.segments.push_back({.source = 9000, .destination = 9000, .length = 255});
    longer.segments.push_back({.source = 9000, .destination = 9000, .length = 256});
    CHECK(of(leg).prevails());
    CHECK_FALSE(of(longer).prevails());
    CHECK_FALSE(Scatter{}.prevails());
}

TEST_CASE("short and long runs that alternate are a fine mixture, a block's faces are not") {
    Leg mixed{.peer = 1, .segments = {}};
    for (std::int64_t i = 0; i < 100; ++i) {
        const std::int64_t length = i % 5 == 0 ? 8 : 1;
        mixed.segments.push_back({.source = 50 * i, .destination = 50 * i, .length = length});
    }
    const Mixture mixture(mixed, unit_bytes, 64);
    CHECK(mixture.short_bytes == 640);
    CHECK(mixture.long_bytes == 1280);
    CHECK(mixture.changes == 39);
    CHECK(mixture.is_fine());
    CHECK_FALSE(Mixture(mixed, unit_bytes, 8).is_fine());
    CHECK_FALSE(Mixture(mixed, unit_bytes, 65).is_fine());
    CHECK_FALSE(Mixture(mixed, 1000 * unit_bytes, 64'000).is_fine());

    auto faces = column(264, 1);
    faces.segments.push_back({.source = 9000, .destination = 9000, .length = 256});
    faces.segments.push_back(column(264, 1).segments.front());
    CHECK(Mixture(faces, unit_bytes, 64).changes == 2);
    CHECK_FALSE(Mixture(faces, unit_bytes, 64).is_fine());
}
