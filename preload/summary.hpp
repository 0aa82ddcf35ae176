// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "communicator.hpp"

namespace transrank::carry {

/// Adds a call that began then.
void count(Kind kind, Way way, Clock::time_point begin) noexcept;

/// Adds a communicator whose ranks have begun then to connect.
void count_connected(Clock::time_point begin) noexcept;

}  // namespace transrank::carry
