// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/route/route.hpp"

namespace transrank::route {

/// Checks that a route delivers no unit of its destination twice. Throws std::invalid_argument
/// naming the unit and the ranks that deliver it.
void check_delivered_once(const Route& route);

/// The same, and that `units` units arrive in all: every one of a destination that has no more.
void check_all_delivered_once(const Route& route, std::int64_t units);

}  // namespace transrank::route
