// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/ghost.hpp"

#include <unordered_map>

#include "transrank/layout/require.hpp"

namespace transrank::route {

void check_ghost(int rank, std::size_t ghost, std::int64_t index, std::int64_t extent) {
    layout::require(index >= 0 && index < extent, "ghost ", layout::counted(ghost), " on rank ",
                    rank, " has index ", layout::counted(index), ", out of range ",
                    layout::indices(0, extent), "; ghosts are global indices");
}

std::vector<Leg> requests_by_owner(int rank, const layout::Distribution& owners,
                                   std::span<const std::int64_t> ghosts, std::int64_t destination,
                                   const Units& destinations) {
    layout::require(rank >= 0 && rank < owners.parts(), "rank ", rank, " is out of range [0, ",
                    owners.parts(), ") of the owners");
    return requests_by(rank, owners.extent(), ghosts, destination, destinations,
                       [&](std::int64_t index) { return owners.stretch(index); });
}

std::vector<Leg> pushes_by_target(int rank, int ranks, std::int64_t owned,
                                  std::span<const std::int64_t> rows,
                                  std::span<const int> targets) {
    layout::require(rows.size() == targets.size(), "rank ", rank, " pushes ", rows.size(),
                    " rows to ", targets.size(), " targets; each row needs one");
    LegBuilder legs;
    std::unordered_map<int, std::int64_t> pushed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        layout::require(rows[i] >= 0 && rows[i] < owned, "push ", layout::counted(i), " of rank ",
                        rank, " is of row ", layout::counted(rows[i]), ", but it owns ", owned,
                        " rows; pushed rows are local, counted from ", layout::first_index);
        layout::require(targets[i] >= 0 && targets[i] < ranks, "push ", layout::counted(i),
                        " of rank ", rank, " goes to rank ", targets[i], ", but there are ", ranks,
                        " ranks");
        legs.add(targets[i], rows[i], pushed[targets[i]]++, 1);
    }
    return legs.finish();
}

Leg moved(const Leg& leg, std::int64_t source, std::int64_t destination) {
    return {.peer = leg.peer, .segments = changed(leg.segments, [&](Segment& segment) {
                                  segment.source += source;
                                  segment.destination += destination;
                              })};
}

}  // namespace transrank::route
