// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/sizes.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace transrank::lab::text;

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

const std::vector<std::pair<std::string, std::int64_t>> units{
    {"", 1},      {"B", 1},        {"KiB", 1024},     {"MiB", 1048576}, {"GiB", 1073741824},
    {"kB", 1000}, {"MB", 1000000}, {"GB", 1000000000}};

/// What a range means, in wider arithmetic and without short cuts.
std::set<std::int64_t> plain_range(std::int64_t first, std::int64_t last, std::int64_t factor) {
    std::set<std::int64_t> sizes;
    if (first == 0) {
        sizes.insert(0);
    }
    for (auto size = Wide{first == 0 ? 1 : first}; size <= last; size *= factor) {
        sizes.insert(static_cast<std::int64_t>(size));
    }
    return sizes;
}

std::set<std::int64_t> as_set(const std::vector<std::int64_t>& sizes) {
    return {sizes.begin(), sizes.end()};
}

std::string refusal(const std::string& text) {
    try {
        (void)parse_sizes(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("formatting a size and parsing it again gives the size") {
    std::mt19937_64 random(1);
    int wrong = 0;
    for (std::int64_t size = 0; size < 70'000; ++size) {
        wrong += parse_size(format_size(size)) == size ? 0 : 1;
    }
    for (int i = 0; i < 70'000; ++i) {
        const auto size = static_cast<std::int64_t>(random() >> (1 + (random() % 63)));
        wrong += parse_size(format_size(size)) == size ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(parse_size(format_size(largest)) == largest);
}

TEST_CASE("a size is formatted with the largest unit that divides it") {
    CHECK(format_size(0) == "0B");
    CHECK(format_size(1) == "1B");
    CHECK(format_size(1000) == "1000B");
    CHECK(format_size(1024) == "1KiB");
    CHECK(format_size(1025) == "1025B");
    CHECK(format_size(1536) == "1536B");
    CHECK(format_size(3 << 20) == "3MiB");
    CHECK(format_size(std::int64_t{4} << 40) == "4096GiB");
}

TEST_CASE("a number and a unit multiply, up to the last product that fits") {
    for (const auto& [unit, bytes] : units) {
        for (std::int64_t number = 0; number < 3000; ++number) {
            REQUIRE(parse_size(std::to_string(number) + unit) == number * bytes);
        }
        const std::int64_t most = largest / bytes;
        CHECK(parse_size(std::to_string(most) + unit) == most * bytes);
        if (bytes > 1) {
            CHECK_THROWS_AS((void)parse_size(std::to_string(most + 1) + unit),
                            std::invalid_argument);
        }
    }
}

TEST_CASE("what is no size is refused, and named") {
    for (const std::string text :
         {"",         "KiB",   "-1",     "+1",     " 1",      "1 ",      "1 KiB",
          "1.5KiB",   "0x10",  "1e3",    "1KB",    "1kiB",    "1TiB",    "9223372036854775808",
          "1,",       ",1",    "1,,2",   "..",     "1..",     "..4",     "1..2..3",
          "4..1",     "1..4:", "1..4:2", "1..4:x", "1..4:x1", "1..4:x0", "1..4:x-2",
          "1..4:x2x", "1:x2"}) {
        CAPTURE(text);
        const std::string message = refusal(text);
        CHECK(message.find("is not a size: ") != std::string::npos);
    }
    CHECK(refusal("8,12 B").find("'12 B'") == 0);
}

TEST_CASE("a unit that may mean two things is refused with both") {
    CHECK(refusal("64K") ==
          "'64K' is not a size: say 64KiB (powers of 1024) or 64kB (powers of 1000)");
    CHECK(refusal("64k") ==
          "'64k' is not a size: say 64KiB (powers of 1024) or 64kB (powers of 1000)");
    CHECK(refusal("2m") == "'2m' is not a size: say 2MiB (powers of 1024) or 2MB (powers of 1000)");
    CHECK(refusal("2G") == "'2G' is not a size: say 2GiB (powers of 1024) or 2GB (powers of 1000)");
}

TEST_CASE("a range goes from its first size to its last by its factor") {
    CHECK(parse_sizes("0..8") == std::vector<std::int64_t>{0, 1, 2, 4, 8});
    CHECK(parse_sizes("3..20") == std::vector<std::int64_t>{3, 6, 12});
    CHECK(parse_sizes("8..4KiB:x4") == std::vector<std::int64_t>{8, 32, 128, 512, 2048});
    CHECK(parse_sizes("0..0") == std::vector<std::int64_t>{0});
    std::mt19937_64 random(2);
    for (int i = 0; i < 3000; ++i) {
        auto first = static_cast<std::int64_t>(random() >> (1 + (random() % 63)));
        auto last = static_cast<std::int64_t>(random() >> (1 + (random() % 63)));
        if (first > last) {
            std::swap(first, last);
        }
        const auto factor = static_cast<std::int64_t>(2 + (random() % (i % 2 == 0 ? 9 : largest)));
        const std::string text = std::to_string(first) + ".." + std::to_string(last);
        REQUIRE(as_set(parse_sizes(text)) == plain_range(first, last, 2));
        REQUIRE(as_set(parse_sizes(text + ":x" + std::to_string(factor))) ==
                plain_range(first, last, factor));
    }
}

TEST_CASE("a list is the union of its items, ascending and without repetition") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        std::set<std::int64_t> expected;
        for (auto items = 1 + (random() % 5); items > 0; --items) {
            const auto first = static_cast<std::int64_t>(random() % 40);
            const auto last = first + static_cast<std::int64_t>(random() % 40);
            text += text.empty() ? "" : ",";
            if (random() % 2 == 0) {
                text += std::to_string(first) + "B";
                expected.insert(first);
            } else {
                text += std::to_string(first) + ".." + std::to_string(last) + "B";
                expected.merge(plain_range(first, last, 2));
            }
        }
        CAPTURE(text);
        const std::vector<std::int64_t> wanted(expected.begin(), expected.end());
        REQUIRE(parse_sizes(text) == wanted);
    }
}

TEST_CASE("a list is split at each comma, and empty items stay") {
    CHECK(split_list("a,b") == std::vector<std::string>{"a", "b"});
    CHECK(split_list("") == std::vector<std::string>{""});
    CHECK(split_list(",a,") == std::vector<std::string>{"", "a", ""});
}
