// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::route {

/// One dimension of a grid, as one side of a redistribution sees it.
struct Axis {
    const layout::Distribution& distribution;
    layout::Halo halo;
    /// Whether the destination wants its halo, too.
    bool fills_halo = false;
};

/// What `part` of the source axis has that parts of the destination axis want: one leg per such
/// part, ascending; offsets are positions along the two parts' local arrays.
[[nodiscard]] std::vector<Leg> pieces_sent(const Axis& source, int part, const Axis& destination);

/// The counterpart: what `part` of the destination axis wants, by part of the source. The leg from
/// p to q has the same segments on both sides.
[[nodiscard]] std::vector<Leg> pieces_received(const Axis& source, const Axis& destination,
                                               int part);

}  // namespace transrank::route
