// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/numbers.hpp"

#include <cmath>
#include <cstddef>

namespace transrank::lab::text {
namespace {

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
        const auto number = number_in<std::int64_t>(word).value_or(0);
        if (number < 1 || number > most || word.front() == '0') {
            return {};
        }
        numbers.push_back(number);
        more = !text.empty();
        text.remove_prefix(more ? 1 : 0);
    }
    return numbers;
}

std::vector<double> parse_pair(std::string_view text) {
    const auto first = number_in<double>(take_word(text, ':'));
    const auto second = number_in<double>(text.substr(text.empty() ? 0 : 1));
    return first && second && std::isfinite(*first) && std::isfinite(*second)
               ? std::vector{*first, *second}
               : std::vector<double>();
}

}  // namespace transrank::lab::text
