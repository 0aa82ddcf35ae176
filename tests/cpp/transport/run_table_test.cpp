// SPDX-License-Identifier: BSD-3-Clause
// Tables of runs move what their runs do, whatever units are listed one by one.
#include "transrank/transport/run_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "transrank/memory/copy_kernels.hpp"

using namespace transrank::transport;
using transrank::route::Leg;

namespace {

constexpr std::int64_t room = 4000;  // units
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

}  // namespace

TEST_CASE("runs are copied, streamed and combined as one by one") {
    std::mt19937 random(3);
    for (const std::int64_t unit_bytes : {1, 4, 8, 24, 40, 128, 256, 264}) {
        CAPTURE(unit_bytes);
        const auto leg = random_leg(random);
        const auto from = random_bytes(unit_bytes, random);
        const auto before = random_bytes(unit_bytes, random);
        for (const LengthRange range : {LengthRange{}, LengthRange{.from = 2 * unit_bytes},
                                        LengthRange{.below = 2 * unit_bytes}}) {
            const auto table = runs_of(leg, unit_bytes, range);
            const auto copied = moved(
                leg, unit_bytes, range, before, [&](auto source, auto to, auto bytes, Bytes& all) {
                    std::copy_n(from.begin() + source, bytes, all.begin() + to);
                });
            auto found = before;
            table->copy(from.data(), found.data());
            CHECK(found == copied);
            found = before;
            table->stream(from.data(), found.data());
            transrank::memory::end_streaming();
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
}

TEST_CASE("units far from each other are reached") {
    const std::int64_t far = std::int64_t{3} << 31U;  // units beyond 32 bits
    RunTable table(8);
    table.append({.source = 0,
                  .destination = 0,
                  .length = 8,
                  .count = 1,
                  .source_stride = 0,
                  .destination_stride = 0});
    table.append({.source = far * 8,
                  .destination = 16,
                  .length = 8,
                  .count = 1,
                  .source_stride = 0,
                  .destination_stride = 0});
    table.finish();
    std::vector<std::int64_t> sources;
    table.for_each([&](const ByteRuns& runs) { sources.push_back(runs.source); });
    CHECK(sources == std::vector<std::int64_t>{0, far * 8});
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
