// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/json.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <regex>
#include <string>
#include <variant>
#include <vector>

using transrank::lab::text::JsonWriter;

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
