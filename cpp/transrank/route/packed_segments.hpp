// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Segments for messages: of each only the difference from the one before, in the fewest bytes.
/// Single rows at short distances take 3 to 6 bytes instead of 48.
[[nodiscard]] std::vector<std::byte> packed(std::span<const Segment> segments);

/// The segments again. Throws std::invalid_argument when the bytes end too early.
[[nodiscard]] std::vector<Segment> unpacked(std::span<const std::byte> bytes);

}  // namespace transrank::route
