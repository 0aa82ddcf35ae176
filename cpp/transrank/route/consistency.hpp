// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// Checks that routes[r] is rank r's side of one movement: every leg stands in its sender's sends
/// and its receiver's receives with the same segments, and fits both arrays. Throws
/// std::invalid_argument naming the two ranks and what each of them holds.
void check_consistent(std::span<const Route> routes);

}  // namespace transrank::route
