// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/strided_ranges.hpp"

#include "testing.hpp"

using transrank::exchange::find_clash;
using transrank::exchange::is_written_twice;
using transrank::exchange::StridedRange;

namespace {

struct Use {
    int writes = 0;
    std::set<int> readers;
    std::set<int> writers;

    [[nodiscard]] bool is_clash(int writer, int other, bool other_writes) const {
        return writers.contains(writer) &&
               (other_writes ? writer != other && writers.contains(other)
                             : readers.contains(other));
    }
};

/// Place by place.
std::map<std::int64_t, Use> uses_of(const std::vector<StridedRange>& ranges) {
    std::map<std::int64_t, Use> uses;
    for (const auto& range : ranges) {
        for (std::int64_t i = 0; i < range.count * range.length; ++i) {
            const auto place = range.begin + (i / range.length * range.stride) + (i % range.length);
            auto& use = uses[place];
            use.writes += range.written ? 1 : 0;
            (range.written ? use.writers : use.readers).insert(range.owner);
        }
    }
    return uses;
}

}  // namespace

TEST_CASE("conflicts are those that are found place by place") {
    std::mt19937 random(7);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution(low, high)(random);
    };
    int twice = 0;
    int both = 0;
    for (int example = 0; example < 10000; ++example) {
        const bool one_stride = draw(0, 1) == 1;
        std::vector<StridedRange> ranges;
        for (auto left = draw(0, 5); left > 0; --left) {
            ranges.push_back({.begin = draw(0, 60),
                              .length = draw(0, 4),
                              .count = draw(0, 4),
                              .stride = one_stride ? 9 : draw(-12, 12),
                              .written = draw(0, 1) == 1,
                              .owner = static_cast<int>(draw(0, 2))});
        }
        const auto uses = uses_of(ranges);
        const auto somewhere = [&](const auto& holds) {
            return std::ranges::any_of(uses, holds, [](const auto& each) { return each.second; });
        };
        const bool written_twice = somewhere([](const Use& use) { return use.writes > 1; });
        const bool clashes = somewhere([](const Use& use) {
            return use.writers.size() > 1 || (use.writes > 0 && !use.readers.empty());
        });
        const auto clash = find_clash(ranges);
        CHECK(is_written_twice(ranges) == written_twice);
        CHECK(clash.has_value() == clashes);
        if (clash) {
            CHECK(somewhere([&](const Use& use) {
                return use.is_clash(clash->writer, clash->other, clash->other_writes);
            }));
        }
        twice += written_twice ? 1 : 0;
        both += clashes ? 1 : 0;
    }
    CHECK(twice > 500);
    CHECK(twice < 9500);
    CHECK(both > 500);
    CHECK(both < 9500);
}

TEST_CASE("ranges that lie apart are not taken to pieces") {
    constexpr std::int64_t runs = std::int64_t{1} << 40;
    std::vector<StridedRange> ranges;
    for (std::int64_t i = 0; i < 6; ++i) {
        ranges.push_back(
            {.begin = i * 8 * runs, .length = 2, .count = runs, .stride = 4, .written = true});
    }
    CHECK(!is_written_twice(ranges));
    ranges[3].stride = 1;
    CHECK(is_written_twice(ranges));
}

TEST_CASE("members of an array of structs are not taken to pieces") {
    constexpr std::int64_t structs = std::int64_t{1} << 40;
    std::vector<StridedRange> ranges;
    for (int member = 0; member < 3; ++member) {
        ranges.push_back({.begin = 100 + (8 * member),
                          .length = 8,
                          .count = structs,
                          .stride = 24,
                          .written = member > 0,
                          .owner = member});
    }
    CHECK(!find_clash(ranges));
    ranges[1].length = 9;
    const auto clash = find_clash(ranges);
    REQUIRE(clash);
    CHECK(clash->writer + clash->other == 3);
    CHECK(clash->other_writes);
}
