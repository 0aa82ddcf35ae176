// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transrank/layout/distribution.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/route/leg_builder.hpp"

namespace transrank::route {

/// One for each ghost.
using Units = std::optional<std::span<const std::int64_t>>;

/// Throws std::invalid_argument unless the index of a ghost is in [0, extent).
void check_ghost(int rank, std::size_t ghost, std::int64_t index, std::int64_t extent);

/// What this rank wants from each owner: one leg per owner, ascending, whose source is the owner's
/// array and whose destination this rank's. Ghost i arrives at unit destination + i, or at unit
/// destinations[i] where those are given; an index may be asked for more than once, and from this
/// rank itself.
///
/// The parts of `owners` are the ranks. Takes time linear in the list and, per change of owner, the
/// logarithm of an irregular table; no memory in the number of ranks. Throws std::invalid_argument
/// naming the rank, the position and the index when an index has no owner.
[[nodiscard]] std::vector<Leg> requests_by_owner(int rank, const layout::Distribution& owners,
                                                 std::span<const std::int64_t> ghosts,
                                                 std::int64_t destination = 0,
                                                 const Units& destinations = std::nullopt);

/// The same where `stretch_of` finds the rows of an owner in which an index of [0, extent) lies.
template <class StretchOf>
[[nodiscard]] std::vector<Leg> requests_by(int rank, std::int64_t extent,
                                           std::span<const std::int64_t> ghosts,
                                           std::int64_t destination, const Units& destinations,
                                           const StretchOf& stretch_of) {
    LegBuilder legs;
    for (std::size_t begin = 0; begin < ghosts.size();) {
        check_ghost(rank, begin, ghosts[begin], extent);
        const layout::Stretch stretch = stretch_of(ghosts[begin]);
        auto end = begin + 1;
        while (end < ghosts.size() && stretch.range.contains(ghosts[end])) {
            ++end;
        }
        const auto shift = stretch.position - stretch.range.begin;
        if (!destinations) {
            legs.add_units(stretch.part, ghosts.subspan(begin, end - begin), shift,
                           destination + static_cast<std::int64_t>(begin));
        }
        for (auto i = begin; destinations && i < end; ++i) {
            legs.add(stretch.part, ghosts[i] + shift, (*destinations)[i], 1);
        }
        begin = end;
    }
    return legs.finish();
}

/// What this rank pushes: local row rows[i] to rank targets[i], more than once if listed so. One
/// leg per target, ascending, whose destination counts the rows to that target from 0: where they
/// begin there is for the target to say, see moved(). Throws std::invalid_argument naming the rank,
/// the position and the values when a row is not in [0, owned) or a target does not exist.
[[nodiscard]] std::vector<Leg> pushes_by_target(int rank, int ranks, std::int64_t owned,
                                                std::span<const std::int64_t> rows,
                                                std::span<const int> targets);

/// The leg with its offsets raised.
[[nodiscard]] Leg moved(const Leg& leg, std::int64_t source, std::int64_t destination);

}  // namespace transrank::route
