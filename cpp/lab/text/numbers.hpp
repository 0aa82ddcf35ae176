// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace transrank::lab::text {

/// The whole numbers between separators, such as 512, 1024 and 16 of `512x1024x16`. Empty unless
/// each is at least 1 and at most `most`, and written without sign or leading zero.
[[nodiscard]] std::vector<std::int64_t> parse_numbers(std::string_view text, std::int64_t most,
                                                      char separator = 'x');

/// The numbers of `U:V`. Empty unless both are finite numbers.
[[nodiscard]] std::vector<double> parse_pair(std::string_view text);

}  // namespace transrank::lab::text
