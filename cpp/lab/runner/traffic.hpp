// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "options.hpp"

namespace transrank::lab::runner {

/// What each algorithm of an alltoall asks of each torus of the options: JSON lines. Throws
/// UsageError for what is no torus, or no algorithm.
[[nodiscard]] std::string list_traffic(const Options& options);

}  // namespace transrank::lab::runner
