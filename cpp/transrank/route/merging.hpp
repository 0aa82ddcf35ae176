// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// One leg per peer, ascending, from legs of which several may have the same peer: their runs in
/// the order of the destination, compressed anew. A peer's only leg stays as it is. Both ranks of a
/// pair get the same leg whatever the order in which they learned of its parts, if no unit of the
/// destination is in two of them.
[[nodiscard]] std::vector<Leg> merged_by_peer(std::vector<Leg> legs);

}  // namespace transrank::route
