// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// The segments of a leg in groups, in their order: each group is one box of units, which lies in
/// both arrays as nested strides. What two blocks share is one box, whatever the dimensions.
[[nodiscard]] std::vector<std::span<const Segment>> boxes(const Leg& leg);

}  // namespace transrank::route
