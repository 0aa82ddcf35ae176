// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

namespace transrank::lab::text {
namespace {

/// Whether all of the word is a number.
template <class Number>
bool parse(std::string_view word, Number& number) {
    const auto* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && rest == end;
}

std::string_view take_word(std::string_view& text, char separator) {
    const auto word = text.substr(0, text.find(separator));
    text.remove_prefix(word.size());
    return word;
}

}  // namespace

std::vector<std::int64_t> parse_numbers(std::string_view text, std::int64_t most, char separator) {
    std::vector<std::int64_t> numbers;
    for (bool more = true; more;) {
        const auto word = take_word(text, separator);
        auto& number = numbers.emplace_back(0);
        if (!parse(word, number) || number < 1 || number > most || word.front() == '0') {
            return {};
        }
        more = !text.empty();
        text.remove_prefix(more ? 1 : 0);
    }
    return numbers;
}

std::vector<double> parse_pair(std::string_view text) {
    std::vector<double> pair(2);
    const auto first = take_word(text, ':');
    if (text.empty() || !parse(first, pair[0]) || !parse(text.substr(1), pair[1]) ||
        !std::isfinite(pair[0]) || !std::isfinite(pair[1])) {
        return {};
    }
    return pair;
}

}  // namespace transrank::lab::text
