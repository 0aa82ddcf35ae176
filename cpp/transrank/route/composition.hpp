// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "transrank/route/route.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::route {

/// What this rank passes on when `second` sends what `first` has delivered: the source is the
/// origin's array of `first`, the destination the peer's array of `second`. Ascending by origin,
/// then by peer.
///
/// Throws std::invalid_argument naming the rank and the unit when the routes do not belong to the
/// same ranks or the array between them does not fit, when `second` sends a unit that `first`
/// never delivers, or when `first` delivers a unit twice.
[[nodiscard]] std::vector<Forward> forwards(const Route& first, const Route& second);

/// The direct routes that replace a movement by `first` and then `second`, all ranks together
/// (first[r] and second[r] belong to rank r).
[[nodiscard]] std::vector<Route> compose(std::span<const Route> first,
                                         std::span<const Route> second);

}  // namespace transrank::route
