// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/open_values.hpp"

#include <algorithm>
#include <cmath>

#include "lab/text/numbers.hpp"

namespace transrank::lab::study {
namespace {

std::string repeated(std::int64_t number, std::size_t times) {
    const auto word = std::to_string(number);
    std::string text = word;
    for (std::size_t i = 1; i < times; ++i) {
        text += 'x' + word;
    }
    return text;
}

}  // namespace

OpenValues whole_numbers(std::int64_t least, std::int64_t most) {
    return {.form = std::to_string(least) + ".." + std::to_string(most),
            .contain = [=](std::string_view text) {
                const auto numbers = text::parse_numbers(text, most);
                return numbers.size() == 1 && numbers.front() >= least;
            }};
}

OpenValues extents(std::size_t fewest, std::size_t dimensions, std::int64_t most) {
    return {.form = repeated(1, fewest) + ".." + repeated(most, dimensions),
            .contain = [=](std::string_view text) {
                const auto numbers = text::parse_numbers(text, most);
                return numbers.size() >= fewest && numbers.size() <= dimensions;
            }};
}

OpenValues pairs_within(int most) {
    const auto least = '-' + std::to_string(most);
    return {.form = least + ':' + least + ".." + std::to_string(most) + ':' + std::to_string(most),
            .contain = [=](std::string_view text) {
                const auto pair = text::parse_pair(text);
                return !pair.empty() && (pair[0] != 0 || pair[1] != 0) &&
                       std::max(std::abs(pair[0]), std::abs(pair[1])) <= most;
            }};
}

}  // namespace transrank::lab::study
