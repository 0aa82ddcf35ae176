// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transrank::lab::text {

/// Bytes from `64KiB`, `100kB`, `8B` or a bare number. Throws std::invalid_argument naming the
/// text; `64K` is refused because it may mean 64,000 or 65,536.
[[nodiscard]] std::int64_t parse_size(std::string_view text);

/// Sizes from a comma list whose items are sizes or ranges: `0..4MiB` (from 0: 0, 1, 2, 4 ...;
/// doubling), `8..4MiB:x4` (times 4). Ascending, without repetition.
[[nodiscard]] std::vector<std::int64_t> parse_sizes(std::string_view text);

/// The exact inverse of parse_size: `64KiB`, `1000B`.
[[nodiscard]] std::string format_size(std::int64_t bytes);

/// The items of a list separated by commas, empty ones included.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace transrank::lab::text
