// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace transrank::lab::text {

void JsonWriter::separate() {
    if (needs_comma_) {
        text_ += ',';
    }
    needs_comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::literal(std::string_view text) {
    separate();
    text_ += text;
    return *this;
}

void JsonWriter::quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    text_ += '"';
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (code < 0x20) {
            text_ += "\\u00";
            text_ += hex[code >> 4U];
            text_ += hex[code & 0xFU];
        } else {
            text_ += c;
        }
    }
    text_ += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    return literal(truth ? "true" : "false");
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) {
        return null();
    }
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return literal({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

JsonWriter& JsonWriter::null() {
    return literal("null");
}

}  // namespace transrank::lab::text
