// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "transrank/route/leg.hpp"

namespace transrank::copy {

/// A leg cut into pieces of at most `units` units each, at the ends of runs where these are no
/// longer than that; consecutive ones, but for transposed nests, which are cut into blocks. Both
/// ranks of a pair come to the same cuts. At least one piece, and none empty unless the leg is.
[[nodiscard]] std::vector<route::Leg> portions_of(const route::Leg& leg, std::int64_t units);

}  // namespace transrank::copy
