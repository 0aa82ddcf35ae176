// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace transrank::lab::text {

/// Writes one JSON value on one line. Commas are its business; nesting is the caller's.
///
///     JsonWriter json;
///     json.begin_object().key("bytes").value(8).key("seconds").value(1.5e-6).end_object();
class JsonWriter {
public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }

    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth);
    /// Shortest digits that read back as the same double. JSON has no infinity and no NaN: null.
    JsonWriter& value(double number);
    JsonWriter& null();

    template <class Integer>
        requires std::is_integral_v<Integer>
    JsonWriter& value(Integer number) {
        return literal(std::to_string(number));
    }

    template <class... Types>
    JsonWriter& value(const std::variant<Types...>& either) {
        return std::visit([this](const auto& held) -> JsonWriter& { return this->value(held); },
                          either);
    }

    template <class Range>
    JsonWriter& array(const Range& values) {
        begin_array();
        for (const auto& one : values) {
            value(one);
        }
        return end_array();
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& literal(std::string_view text);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace transrank::lab::text
