// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transrank/layout/block_grid.hpp"
#include "transrank/route/direction.hpp"

namespace transrank::route {

/// Where cells of a local array lie along one dimension, in ascending order.
enum class Zone : std::uint8_t { low, inside, high };
inline constexpr std::size_t zones = 3;

/// The cells along one dimension that fill one zone of the receiver: positions in the local arrays
/// of two neighbors.
struct Strip {
    static constexpr int nobody = -1;

    int peer = nobody;  ///< the other part's coordinate
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::int64_t length = 0;
};

/// One strip per zone; where nothing arrives the peer is `nobody`.
using Strips = std::array<Strip, zones>;

[[nodiscard]] inline const Strip& strip_of(const Strips& strips, Zone zone) {
    return strips[static_cast<std::size_t>(zone)];
}

/// What a part receives into its own zones, or sends into those of its neighbors. The part and its
/// neighbors must be at least as thick as the halo.
[[nodiscard]] Strips halo_strips(const layout::Distribution& distribution, const layout::Halo& halo,
                                 int part, Direction direction);

}  // namespace transrank::route
