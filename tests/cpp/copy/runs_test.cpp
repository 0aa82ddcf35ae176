// SPDX-License-Identifier: BSD-3-Clause
// Tables of runs move what their runs do, whatever units are listed one by one.
#include "testing.hpp"
#include "transrank/copy/copy_kernels.hpp"
#include "transrank/copy/moves.hpp"
#include "transrank/copy/portions.hpp"
#include "transrank/copy/run_table.hpp"
#include "transrank/copy/transposed_runs.hpp"
#include "transrank/route/leg.hpp"

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
    while (place < room - 300) {
        const std::int64_t length = 1 + (random() % 6 == 0 ? random() % 9 : 0);
        const std::int64_t count = 1 + (random() % 2 == 0 ? random() % 7 : 0);
        const bool many = count > 1;
        const auto source_step = length + static_cast<std::int64_t>(random() % 3);
        const auto step = length + static_cast<std::int64_t>(random() % 2);
        Segment segment{.source = static_cast<std::int64_t>(random() % (room - 300)),
                        .destination = place,
                        .length = length,
                        .count = count,
                        .source_stride = many ? source_step : 0,
                        .destination_stride = many ? step : 0};
        auto extent = count * step;
        if (many && random() % 3 == 0) {
            segment.further = {{2 + static_cast<std::int64_t>(random() % 2),
                                (count * source_step) + static_cast<std::int64_t>(random() % 3),
                                extent}};
            extent *= segment.further.front().count;
        }
        leg.segments.push_back(segment);
        place += extent + static_cast<std::int64_t>(random() % 3);
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
    Segment box{.length = 1};
    std::ranges::for_each(loops, [&](const Loop& loop) { box.repeat(loop); });
    return {.peer = 0, .segments = {box}};
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
        turned += planes_of(leg.segments.front()) ? 1 : 0;
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
            leg.segments.push_back({.source = begin,
                                    .destination = begin,
                                    .length = 1,
                                    .count = 20 - part,
                                    .source_stride = 10,
                                    .destination_stride = 1,
                                    .further = {{10, 1, 20}, {2, 200, 200}}});
            leg.segments.push_back(
                {.source = begin + 500, .destination = begin + 501, .length = 7});
        }
        check_as_one_by_one(leg, 8, random);
    }
}

TEST_CASE("places that are written twice keep their order") {
    std::mt19937 random(17);
    const Leg leg{.peer = 0,
                  .segments = {{.source = 0,
                                .destination = 0,
                                .length = 1,
                                .count = 20,
                                .source_stride = 16,
                                .destination_stride = 1,
                                .further = {{16, 1, 10}}}}};  // the runs of two rows overlap
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

TEST_CASE("runs may lie before both bases, as those of views do") {
    RunTable table(8);
    table.append(Segment{.source = -1, .destination = -1, .length = 1});
    table.finish();
    int runs = 0;
    table.for_each([&](const ByteRuns& each) { runs += each.source == -8 ? 1 : 0; });
    CHECK(runs == 1);
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

namespace {

constexpr std::int64_t four_bytes = 4;
constexpr std::int64_t portion_units = 50;

std::int64_t stretch_of(std::vector<Segment> segments) {
    return source_stretch_bytes({.peer = 0, .segments = std::move(segments)}, four_bytes);
}

Segment runs(std::int64_t source, std::int64_t length, std::int64_t count, std::int64_t stride) {
    return {.source = source,
            .destination = 7,
            .length = length,
            .count = count,
            .source_stride = stride,
            .destination_stride = count == 1 ? 0 : 100};
}

void copy_units(const Bytes& from, std::int64_t source, Bytes& to, std::int64_t destination,
                std::int64_t bytes) {
    std::copy_n(from.begin() + source, bytes, to.begin() + destination);
}

}  // namespace

TEST_CASE(
    "fields are packed run by run, in one or in portions, and unpacked to where their runs "
    "belong") {
    std::mt19937 random(23);  // NOLINT(bugprone-random-generator-seed): the same every time
    for (const std::int64_t bytes : {3, 8, 24, 3, 8, 24}) {
        CAPTURE(bytes);
        const auto leg = random() % 2 == 0 ? random_leg(random) : random_box(random);
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

        std::ranges::fill(destination, std::byte{});
        for (const auto& portion : make_packing(leg, fields, packed.data(), portion_units)) {
            execute(portion);
        }
        for (const auto& portion :
             make_unpacking(leg, fields, Operation::assign, packed.data(), portion_units)) {
            execute(portion);
        }
        CHECK(destination == expected);
    }
}

TEST_CASE("stretches of the source are counted across runs and segments") {
    CHECK(stretch_of({}) == 0);
    CHECK(stretch_of({runs(3, 5, 1, 0)}) == 5 * four_bytes);
    CHECK(stretch_of({runs(3, 5, 4, 9)}) == 5 * four_bytes);
    CHECK(stretch_of({runs(3, 5, 4, 5)}) == 20 * four_bytes);
    CHECK(stretch_of({runs(0, 5, 1, 0), runs(5, 5, 1, 0)}) == 10 * four_bytes);
    CHECK(stretch_of({runs(0, 5, 1, 0), runs(6, 5, 1, 0)}) == 5 * four_bytes);
    auto box = runs(0, 5, 2, 5);
    box.further = {{3, 10, 300}, {2, 40, 900}};
    CHECK(stretch_of({box}) == 30 * four_bytes);
    // The last of the first four runs ends where the next segment begins.
    CHECK(stretch_of({runs(0, 5, 4, 9), runs(32, 5, 2, 5)}) == 30 * four_bytes / 4);
}

// A leg in portions moves the same units, in the same order but for transposed boxes.

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Collected final : public transrank::copy::Cutter {
public:
    Collected(const Leg& leg, std::int64_t units) : Cutter(units) {
        begin_portion();
        for (const auto& segment : leg.segments) {
            add(segment);
        }
    }
    std::vector<Leg> portions;

private:
    void begin_portion() override { portions.emplace_back(); }
    void write(const Segment& segment) override { portions.back().segments.push_back(segment); }
};

std::vector<Leg> portions_of(const Leg& leg, std::int64_t units) {
    return Collected(leg, units).portions;
}

/// Source and destination of every unit, in the order of the leg.
void append_units(Pairs& units, const Leg& leg) {
    for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t run) {
        for (std::int64_t i = 0; i < run; ++i) {
            units.emplace_back(source + i, destination + i);
        }
    });
}

}  // namespace

TEST_CASE("portions together are the leg, and none is too long") {
    std::mt19937 random(7);
    for (int attempt = 0; attempt < 20; ++attempt) {
        const auto leg = random_leg(random);
        Pairs expected;
        append_units(expected, leg);
        for (const std::int64_t units : {1, 2, 5, 16, 10'000}) {
            CAPTURE(units);
            Pairs found;
            const auto portions = portions_of(leg, units);
            for (const auto& portion : portions) {
                CHECK(portion.units() <= units);
                CHECK(portion.units() > 0);
                append_units(found, portion);
            }
            CHECK(found == expected);
            CHECK((units < 10'000 || portions.size() == 1));
        }
    }
}

TEST_CASE("a leg of no unit is one portion") {
    CHECK(make_packing({.peer = 1, .segments = {}}, {}, nullptr, 10).size() == 1);
}

TEST_CASE("portions end where runs do, unless a run is longer") {
    const Leg leg{.peer = 0,
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
    const Leg leg{.peer = 0,
                  .segments = {{.source = 0,
                                .destination = 0,
                                .length = 1,
                                .count = 90,
                                .source_stride = 100,
                                .destination_stride = 1,
                                .further = {{100, 1, 90}, {3, 9000, 9000}}}}};
    Pairs expected;
    append_units(expected, leg);
    Pairs found;
    for (const auto& portion : portions_of(leg, 1024)) {
        CHECK(portion.units() <= 1024);
        CHECK(portion.segments.front().count >= 24);
        CHECK((portion.segments.front().further.front().count >= 4 || portion.units() < 512));
        append_units(found, portion);
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(found == expected);
}
