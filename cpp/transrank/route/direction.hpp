// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::route {

/// Which half of its route a rank computes.
enum class Direction : std::uint8_t { sending, receiving };

}  // namespace transrank::route
