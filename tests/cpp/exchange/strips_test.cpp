// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/strips.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using transrank::exchange::is_written_twice;
using transrank::exchange::is_written_where_read;
using transrank::exchange::Strip;

namespace {

struct Use {
    int reads = 0;
    int writes = 0;
};

/// Place by place.
std::map<std::int64_t, Use> uses_of(const std::vector<Strip>& strips) {
    std::map<std::int64_t, Use> uses;
    for (const auto& strip : strips) {
        for (std::int64_t i = 0; i < strip.count * strip.length; ++i) {
            const auto place = strip.begin + (i / strip.length * strip.stride) + (i % strip.length);
            auto& use = uses[place];
            (strip.written ? use.writes : use.reads) += 1;
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
    for (int example = 0; example < 5000; ++example) {
        std::vector<Strip> strips;
        for (auto left = draw(0, 5); left > 0; --left) {
            strips.push_back({.begin = draw(0, 60),
                              .length = draw(0, 4),
                              .count = draw(0, 4),
                              .stride = draw(0, 12),
                              .written = draw(0, 1) == 1});
        }
        bool written_twice = false;
        bool written_and_read = false;
        for (const auto& [place, use] : uses_of(strips)) {
            written_twice |= use.writes > 1;
            written_and_read |= use.writes > 0 && use.reads > 0;
        }
        CHECK(is_written_twice(strips) == written_twice);
        CHECK(is_written_where_read(strips) == written_and_read);
        twice += written_twice ? 1 : 0;
        both += written_and_read ? 1 : 0;
    }
    CHECK(twice > 500);
    CHECK(twice < 4500);
    CHECK(both > 500);
    CHECK(both < 4500);
}

TEST_CASE("strips that lie apart are not taken to pieces") {
    constexpr std::int64_t runs = std::int64_t{1} << 40;
    std::vector<Strip> strips;
    for (std::int64_t i = 0; i < 6; ++i) {
        strips.push_back(
            {.begin = i * 8 * runs, .length = 2, .count = runs, .stride = 4, .written = true});
    }
    CHECK(!is_written_twice(strips));
    strips[3].stride = 1;
    CHECK(is_written_twice(strips));
}
