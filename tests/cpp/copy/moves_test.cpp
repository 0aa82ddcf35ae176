// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/moves.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using namespace transrank::copy;
using transrank::route::Leg;
using transrank::route::Segment;

namespace {

constexpr std::int64_t unit_bytes = 4;

std::int64_t stretch_of(std::vector<Segment> segments) {
    return source_stretch_bytes({.peer = 0, .segments = std::move(segments)}, unit_bytes);
}

Segment runs(std::int64_t source, std::int64_t length, std::int64_t count, std::int64_t stride) {
    return {.source = source,
            .destination = 7,
            .length = length,
            .count = count,
            .source_stride = stride,
            .destination_stride = 100};
}

constexpr std::int64_t room = 3000;  // units
using Bytes = std::vector<std::byte>;

/// Single runs, a box whose dimensions have other orders on both sides, and rows, apart from each
/// other at the destination.
Leg leg_of_all_kinds(std::mt19937& random) {
    Leg leg{.peer = 0, .segments = {}};
    std::int64_t place = 0;
    for (int i = 0; i < 100; ++i) {
        const auto length = 1 + static_cast<std::int64_t>(random() % 3);
        leg.segments.push_back({.source = static_cast<std::int64_t>(random() % (room - 3)),
                                .destination = place,
                                .length = length});
        place += length + static_cast<std::int64_t>(random() % 2);
    }
    for (std::int64_t i = 0; i < 30; ++i) {
        leg.segments.push_back({.source = i,
                                .destination = place + (i * 20),
                                .length = 1,
                                .count = 20,
                                .source_stride = 30,
                                .destination_stride = 1});
    }
    for (std::int64_t i = 0; i < 3; ++i) {
        leg.segments.push_back({.source = 7 * i,
                                .destination = place + 700 + (40 * i),
                                .length = 2,
                                .count = 6 + i,
                                .source_stride = 3,
                                .destination_stride = 4});
    }
    return leg;
}

void copy_units(const Bytes& from, std::int64_t source, Bytes& to, std::int64_t destination,
                std::int64_t bytes) {
    std::copy_n(from.begin() + source, bytes, to.begin() + destination);
}

}  // namespace

TEST_CASE("fields are packed run by run, and unpacked to where their runs belong") {
    std::mt19937 random(23);  // NOLINT(bugprone-random-generator-seed): the same every time
    const auto leg = leg_of_all_kinds(random);
    for (const std::int64_t bytes : {3, 8, 24}) {
        CAPTURE(bytes);
        Bytes source(static_cast<std::size_t>(room * bytes));
        std::ranges::generate(source, [&] { return static_cast<std::byte>(random()); });
        Bytes destination(source.size());
        const std::vector<Field> fields(2, {.source = source.data(),
                                            .source_bytes = room * bytes,
                                            .destination = destination.data(),
                                            .destination_bytes = room * bytes,
                                            .unit_bytes = bytes});
        Bytes packed(static_cast<std::size_t>(packed_bytes(leg, fields)));
        execute(make_packing(leg, fields, packed.data()));
        Bytes expected_packed(packed.size());
        Bytes expected(destination.size());
        std::int64_t place = 0;
        for ([[maybe_unused]] const auto& field : fields) {
            for_each_run(leg, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
                copy_units(source, from * bytes, expected_packed, place, length * bytes);
                copy_units(source, from * bytes, expected, to * bytes, length * bytes);
                place += length * bytes;
            });
        }
        CHECK(packed == expected_packed);
        execute(make_unpacking(leg, fields, Operation::assign, packed.data()));
        CHECK(destination == expected);
    }
}

TEST_CASE("stretches of the source are counted across runs and segments") {
    CHECK(stretch_of({}) == 0);
    CHECK(stretch_of({runs(3, 5, 1, 0)}) == 5 * unit_bytes);
    CHECK(stretch_of({runs(3, 5, 4, 9)}) == 5 * unit_bytes);
    CHECK(stretch_of({runs(3, 5, 4, 5)}) == 20 * unit_bytes);
    CHECK(stretch_of({runs(0, 5, 1, 0), runs(5, 5, 1, 0)}) == 10 * unit_bytes);
    CHECK(stretch_of({runs(0, 5, 1, 0), runs(6, 5, 1, 0)}) == 5 * unit_bytes);
    // The last of the first four runs ends where the next segment begins.
    CHECK(stretch_of({runs(0, 5, 4, 9), runs(32, 5, 2, 5)}) == 30 * unit_bytes / 4);
}
