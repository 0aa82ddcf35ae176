// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <regex>
#include <variant>

#include "lab/text/json.hpp"
#include "lab/text/sizes.hpp"
#include "testing.hpp"

using namespace transrank::lab::text;

namespace {

std::string written(const auto& value) {
    JsonWriter json;
    return json.value(value).text();
}

/// Reads a JSON string as RFC 8259 says; "?" where it is not one.
std::string read_string(const std::string& json) {
    if (json.size() < 2 || json.front() != '"' || json.back() != '"') {
        return "?";
    }
    std::string text;
    for (std::size_t i = 1; i + 1 < json.size(); ++i) {
        const char c = json[i];
        if (static_cast<unsigned char>(c) < 0x20 || c == '"') {
            return "?";
        }
        if (c != '\\') {
            text += c;
        } else if (json[i + 1] == 'u') {
            text += static_cast<char>(std::stoi(json.substr(i + 2, 4), nullptr, 16));
            i += 5;
        } else {
            text += json[++i];
        }
    }
    return text;
}

bool reads_back(double number) {
    const std::string text = written(number);
    return std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) ==
           std::bit_cast<std::uint64_t>(number);
}

}  // namespace

TEST_CASE("every pair of bytes in a string survives") {
    int wrong = 0;
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const std::string text{static_cast<char>(first), static_cast<char>(second)};
            wrong += read_string(written(text)) == text ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
    CHECK(written(std::string("a\"b\\c\n\x01\x1f")) == R"("a\"b\\c\u000a\u0001\u001f")");
}

TEST_CASE("a key is quoted like a string") {
    JsonWriter json;
    json.begin_object().key("a\"b").value(1).end_object();
    CHECK(json.text() == R"({"a\"b":1})");
}

TEST_CASE("a double reads back as itself, bit by bit") {
    using limits = std::numeric_limits<double>;
    for (const double number :
         {0.0, -0.0, 0.1, 1.0, -1.5e-6, 1e22, 1e23, 123456789.125, limits::max(), limits::lowest(),
          limits::min(), limits::denorm_min(), limits::epsilon()}) {
        CAPTURE(number);
        CHECK(reads_back(number));
    }
    std::mt19937_64 random(4);
    int wrong = 0;
    for (int i = 0; i < 200'000; ++i) {
        const auto number = std::bit_cast<double>(random());
        wrong += !std::isfinite(number) || reads_back(number) ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("a double is a number of JSON, and null where JSON has none") {
    const std::regex number(R"(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)");
    std::mt19937_64 random(5);
    for (int i = 0; i < 5000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (std::isfinite(value)) {
            const std::string text = written(value);
            CAPTURE(text);
            REQUIRE(std::regex_match(text, number));
        }
    }
    CHECK(written(std::numeric_limits<double>::infinity()) == "null");
    CHECK(written(-std::numeric_limits<double>::infinity()) == "null");
    CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("whole numbers keep all their digits") {
    CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(written(std::uint8_t{200}) == "200");
    CHECK(written(true) == "true");
    CHECK(written(false) == "false");
    CHECK(written("true") == "\"true\"");
}

TEST_CASE("commas stand between members and nowhere else") {
    JsonWriter json;
    json.begin_object();
    json.key("none").begin_array().end_array();
    json.key("one").begin_array().value(1).end_array();
    json.key("nested").begin_array();
    json.begin_object().end_object();
    json.begin_object().key("a").null().key("b").value("c").end_object();
    json.end_array();
    json.key("list").array(std::array{0.5, 2.0});
    json.key("flags").array(std::vector<std::uint8_t>{1, 255});
    json.end_object();
    CHECK(
        json.text() ==
        R"({"none":[],"one":[1],"nested":[{},{"a":null,"b":"c"}],"list":[0.5,2],"flags":[1,255]})");
}

TEST_CASE("a value of several types is written as the one it holds") {
    using Either = std::variant<std::int64_t, std::string>;
    CHECK(written(Either{std::int64_t{7}}) == "7");
    CHECK(written(Either{std::string("7")}) == "\"7\"");
}

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
    return testing::words_of<std::invalid_argument>([&] { return parse_sizes(text); });
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
