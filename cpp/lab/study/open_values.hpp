// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace transrank::lab::study {

/// Values that no list can name; taken when asked.
struct OpenValues {
    /// From which to which, or what they look like: `1..4096`, `A-B+C-D`.
    std::string form;
    std::function<bool(std::string_view text)> contain;
};

/// `least..most`
[[nodiscard]] OpenValues whole_numbers(std::int64_t least, std::int64_t most);

/// At least `fewest` and at most `dimensions` numbers from 1 to `most`: `1x1x1..64x64x64`.
[[nodiscard]] OpenValues extents(std::size_t fewest, std::size_t dimensions, std::int64_t most);

/// Two numbers, not both 0: `-8:-8..8:8`.
[[nodiscard]] OpenValues pairs_within(int most);

}  // namespace transrank::lab::study
