// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace transrank::lab::runner {

/// What each rank of a redistribution sends and receives, in cells, as JSON lines. `words` are the
/// extents of the grid and the parts before and after, `512x1024x16,2x4,4x2`, and a rank where only
/// its line is wanted; the first dimension varies fastest, in memory and over ranks, and what is
/// left out is not divided. Throws UsageError.
[[nodiscard]] std::string plan_redistribution(const std::string& words);

}  // namespace transrank::lab::runner
