// SPDX-License-Identifier: BSD-3-Clause
// Tables of runs move what their runs do, whatever units are listed one by one.
#include "transrank/copy/run_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "transrank/copy/copy_kernels.hpp"
#include "transrank/route/loop_nest.hpp"

using namespace transrank::copy;
using transrank::route::Leg;
using transrank::route::Loop;
using transrank::route::Segment;

namespace {

constexpr std::int64_t room = 4400;  // units
using Bytes = std::vector<std::byte>;

/// Runs of all kinds, apart at the destination.
Leg random_leg(std::mt19937& random) {
    Leg leg{.peer = 0, .segments = {}};
    std::int64_t place = 0;
    while (place < room - 200) {
        const std::int64_t length = 1 + (random() % 6 == 0 ? random() % 9 : 0);
        const std::int64_t count = 1 + (random() % 2 == 0 ? random() % 7 : 0);
        const bool many = count > 1;
        const auto source_step = length + static_cast<std::int64_t>(random() % 3);
        const auto step = length + static_cast<std::int64_t>(random() % 2);
        leg.segments.push_back({.source = static_cast<std::int64_t>(random() % (room - 200)),
                                .destination = place,
                                .length = length,
                                .count = count,
                                .source_stride = many ? source_step : 0,
                                .destination_stride = many ? step : 0});
        place += (count * step) + static_cast<std::int64_t>(random() % 3);
    }
    return leg;
}

Bytes random_bytes(std::int64_t unit_bytes, std::mt19937& random) {
    Bytes bytes(static_cast<std::size_t>(room * unit_bytes));
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    return bytes;
}

/// A box of a grid, of which the first index is the fastest at the source, in any order of the
/// destination; at both sides the innermost of a larger box.
Leg random_box(std::mt19937& random) {
    const auto dimensions = 1 + (random() % 4);
    std::vector<Loop> loops(dimensions);
    std::int64_t most = room / 2;
    for (auto& loop : loops) {
        loop.count = 1 + static_cast<std::int64_t>(random()) % std::min<std::int64_t>(most, 70);
        most /= loop.count;
        most = std::max<std::int64_t>(most, 1);
    }
    const auto lay = [&](std::int64_t Loop::* stride) {
        std::int64_t next = 1 + static_cast<std::int64_t>(random() % 6 == 0);
        for (auto& loop : loops) {
            loop.*stride = next;
            next *= loop.count;
        }
        return next;
    };
    CHECK(lay(&Loop::source_stride) <= room);
    std::ranges::shuffle(loops, random);
    CHECK(lay(&Loop::destination_stride) <= room);
    transrank::route::LoopNest nest;
    std::ranges::for_each(loops, [&](const Loop& loop) { nest.add(loop); });
    std::vector<Segment> segments;
    nest.append_to(segments, 0, 0);
    return {.peer = 0, .segments = segments};
}

template <class Move>
Bytes moved(const Leg& leg, std::int64_t unit_bytes, LengthRange range, Bytes destination,
            const Move& move) {
    for_each_run(leg, [&](std::int64_t source, std::int64_t to, std::int64_t length) {
        const auto bytes = length * unit_bytes;
        if (bytes >= range.from && bytes < range.below) {
            move(source * unit_bytes, to * unit_bytes, bytes, destination);
        }
    });
    return destination;
}

std::int64_t bytes_of(const Leg& leg, std::int64_t unit_bytes) {
    return leg.units() * unit_bytes;
}

void check_as_one_by_one(const Leg& leg, std::int64_t unit_bytes, std::mt19937& random) {
    const auto from = random_bytes(unit_bytes, random);
    const auto before = random_bytes(unit_bytes, random);
    for (const LengthRange range : {LengthRange{}, LengthRange{.from = 2 * unit_bytes},
                                    LengthRange{.below = 2 * unit_bytes}}) {
        const auto table = runs_of(leg, unit_bytes, range);
        const auto copied = moved(leg, unit_bytes, range, before,
                                  [&](auto source, auto to, auto bytes, Bytes& all) {
                                      std::copy_n(from.begin() + source, bytes, all.begin() + to);
                                  });
        auto found = before;
        table->copy(from.data(), found.data());
        CHECK(found == copied);
        found = before;
        table->stream(from.data(), found.data());
        transrank::copy::end_streaming();
        CHECK(found == copied);
        const auto added = moved(
            leg, unit_bytes, range, before, [&](auto source, auto to, auto bytes, Bytes& all) {
                for (std::int64_t i = 0; i < bytes; ++i) {
                    auto& mine = all[static_cast<std::size_t>(to + i)];
                    const auto theirs = from[static_cast<std::size_t>(source + i)];
                    mine = static_cast<std::byte>(std::to_integer<int>(mine) +
                                                  std::to_integer<int>(theirs));
                }
            });
        found = before;
        table->combine(from.data(), found.data(), combine_kernel(Operation::add, Scalar::int8));
        CHECK(found == added);
    }
    CHECK(runs_of(leg, unit_bytes, {})->bytes() == bytes_of(leg, unit_bytes));
}

}  // namespace

TEST_CASE("runs are copied, streamed and combined as one by one") {
    std::mt19937 random(3);
    for (const std::int64_t unit_bytes : {1, 4, 8, 24, 40, 128, 256, 264}) {
        CAPTURE(unit_bytes);
        check_as_one_by_one(random_leg(random), unit_bytes, random);
    }
}

TEST_CASE("boxes in any two orders of their dimensions are moved as run by run") {
    std::mt19937 random(11);
    int turned = 0;
    for (int attempt = 0; attempt < 60; ++attempt) {
        const auto leg = random_box(random);
        turned +=
            leading_nest(std::vector(leg.segments.begin(), leg.segments.end())).is_transposed() ? 1
                                                                                                : 0;
        for (const std::int64_t unit_bytes : {1, 2, 3, 4, 8, 12, 16, 24, 32, 64, 72}) {
            CAPTURE(unit_bytes);
            check_as_one_by_one(leg, unit_bytes, random);
        }
    }
    CHECK(turned > 20);
}

TEST_CASE("boxes behind each other, and among other runs, are each moved") {
    std::mt19937 random(13);
    for (int attempt = 0; attempt < 20; ++attempt) {
        Leg leg{.peer = 0, .segments = {}};
        std::int64_t begin = 0;
        for (std::int64_t part = 0; part < 3; ++part, begin += room / 4) {
            for (std::int64_t k = 0; k < 2; ++k) {
                for (std::int64_t i = 0; i < 10; ++i) {
                    leg.segments.push_back({.source = begin + (k * 200) + i,
                                            .destination = begin + (k * 200) + (20 * i),
                                            .length = 1,
                                            .count = 20 - part,
                                            .source_stride = 10,
                                            .destination_stride = 1});
                }
            }
            leg.segments.push_back(
                {.source = begin + 500, .destination = begin + 501, .length = 7});
        }
        check_as_one_by_one(leg, 8, random);
    }
}

TEST_CASE("places that are written twice keep their order") {
    std::mt19937 random(17);
    Leg leg{.peer = 0, .segments = {}};
    for (std::int64_t i = 0; i < 16; ++i) {  // the runs of two rows overlap
        leg.segments.push_back({.source = i,
                                .destination = i * 10,
                                .length = 1,
                                .count = 20,
                                .source_stride = 16,
                                .destination_stride = 1});
    }
    check_as_one_by_one(leg, 8, random);
}

TEST_CASE("units far from each other are reached") {
    const std::int64_t far = std::int64_t{3} << 31U;  // units beyond 32 bits
    RunTable table(8);
    table.append(Segment{.source = 0, .destination = 0, .length = 1});
    table.append(Segment{.source = far, .destination = 2, .length = 1});
    table.append(Segment{.source = far - 7, .destination = 4, .length = 1});
    table.append(Segment{.source = 3,
                         .destination = 6,
                         .length = 1,
                         .count = 2,
                         .source_stride = far,
                         .destination_stride = 2});
    table.append(Segment{.source = 5, .destination = 10, .length = 1});
    table.finish();
    std::vector<std::int64_t> sources;
    table.for_each([&](const ByteRuns& runs) {
        for (std::int64_t i = 0; i < runs.count; ++i) {
            sources.push_back((runs.source + (i * runs.source_stride)) / 8);
        }
    });
    CHECK(sources == std::vector<std::int64_t>{0, far, far - 7, 3, far + 3, 5});
    CHECK(table.bytes() == 6 * 8);
}

TEST_CASE("runs of a leg are made once for all that have them") {
    std::mt19937 random(5);
    const auto leg = random_leg(random);
    auto one = shared_runs_of(leg, 8, {});
    CHECK(shared_runs_of(leg, 8, {}) == one);
    CHECK(shared_runs_of(leg, 16, {}) != one);
    CHECK(shared_runs_of(leg, 8, {.from = 9}) != one);
    const std::weak_ptr<const RunTable> watched = one;
    one.reset();
    CHECK(watched.expired());
}
