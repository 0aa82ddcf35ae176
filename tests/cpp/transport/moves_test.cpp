// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/moves.hpp"

#include <doctest/doctest.h>

using namespace transrank::transport;
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

}  // namespace

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
