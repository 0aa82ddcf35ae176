// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace transrank::lab::text {

/// The number that a word is; none unless all of the word is one.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view word) {
    Number number{};
    const auto* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

/// The whole numbers between separators, such as 512, 1024 and 16 of `512x1024x16`. Empty unless
/// each is at least 1 and at most `most`, and written without sign or leading zero.
[[nodiscard]] std::vector<std::int64_t> parse_numbers(std::string_view text, std::int64_t most,
                                                      char separator = 'x');

/// The numbers of `U:V`. Empty unless both are finite numbers.
[[nodiscard]] std::vector<double> parse_pair(std::string_view text);

}  // namespace transrank::lab::text
