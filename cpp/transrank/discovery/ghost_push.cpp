// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <limits>
#include <utility>

#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/messages.hpp"
#include "transrank/discovery/owners.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/ghost.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::discovery {
namespace {

using layout::Distribution;
using mpi::Message;
using route::Leg;

/// The ranges of global indices of a pushing rank: what its target needs to name the ghosts.
struct Ranges {
    std::int64_t begin = 0;     ///< of the first range
    std::int64_t length = 0;    ///< of every range but the last; 0: there is one range only
    std::int64_t distance = 0;  ///< from one range to the next

    [[nodiscard]] std::int64_t index(std::int64_t row) const {
        return length == 0 ? begin + row : begin + (row / length * distance) + (row % length);
    }
};

Ranges ranges_of(const Distribution& owners, int rank) {
    if (owners.ranges(rank) < 2) {
        return {.begin = owners.range(rank).begin};
    }
    return {.begin = owners.range(rank).begin,
            .length = owners.position(1),
            .distance = owners.range(rank, 1).begin - owners.range(rank).begin};
}

std::vector<Message> messages_to_targets(const std::vector<Leg>& legs, const Ranges& ranges) {
    return message_per_leg(legs, [&](Writer& writer, const Leg& leg) {
        writer.add(ranges);
        add(writer, leg.segments);
    });
}

/// For each pusher, where its ghosts begin.
std::vector<Message> messages_to_pushers(const std::vector<Leg>& receives) {
    return message_per_leg(receives, [](Writer& writer, const Leg& leg) {
        writer.add(leg.segments.front().destination);
    });
}

void append_indices(const Leg& leg, const Ranges& ranges, std::vector<std::int64_t>& indices) {
    route::for_each_run(leg, [&](std::int64_t source, std::int64_t, std::int64_t length) {
        for (std::int64_t row = source; row < source + length; ++row) {
            indices.push_back(ranges.index(row));
        }
    });
}

/// The ghosts of this rank, one pusher after the other.
struct Arrival {
    std::vector<Leg> receives;
    std::vector<std::int64_t> ghosts;
};

Arrival arrange(int rank, const std::vector<Message>& messages, std::int64_t ghost_begin) {
    Arrival arrival;
    for (const auto& message : messages) {
        Reader reader(message);
        const auto ranges = reader.take<Ranges>();
        const Leg leg{.peer = message.peer, .segments = take_segments(reader)};
        const auto before = static_cast<std::int64_t>(arrival.ghosts.size());
        layout::require(
            ghost_begin <= std::numeric_limits<std::int64_t>::max() - before - leg.units(),
            "on rank ", rank, " the ghosts begin at row ", layout::counted(ghost_begin),
            " and are at least ", before + leg.units(), ", more than 64 bits can number");
        arrival.receives.push_back(route::moved(leg, 0, ghost_begin + before));
        append_indices(leg, ranges, arrival.ghosts);
    }
    return arrival;
}

// Every push is answered, so the answers come from the peers of `legs`, in the same order.
std::vector<Leg> placed(std::vector<Leg> legs, const std::vector<Message>& answers) {
    for (std::size_t i = 0; i < legs.size(); ++i) {
        const auto begin = Reader(answers.at(i)).take<std::int64_t>();
        legs[i] = route::moved(std::move(legs[i]), 0, begin);
    }
    return legs;
}

Pushed push(const mpi::Communicator& comm, const Ranges& ranges, std::int64_t owned,
            std::vector<Leg> legs, std::int64_t ghost_begin) {
    const auto messages = deliver(comm, messages_to_targets(legs, ranges), Subject::rows_pushed);
    auto arrival = mpi::agreed(comm, [&] { return arrange(comm.rank(), messages, ghost_begin); });
    const auto answers =
        deliver(comm, messages_to_pushers(arrival.receives), Subject::ghost_begins);
    const auto extent = ghost_begin + static_cast<std::int64_t>(arrival.ghosts.size());
    return mpi::agreed(comm, [&]() -> Pushed {
        return {.route = {comm.rank(), comm.size(), owned, extent, placed(std::move(legs), answers),
                          std::move(arrival.receives)},
                .ghosts = std::move(arrival.ghosts)};
    });
}

std::vector<Leg> checked_pushes(const mpi::Communicator& comm, std::int64_t owned,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin) {
    layout::require(ghost_begin >= 0, "on rank ", comm.rank(), " the ghosts begin at row ",
                    layout::counted(ghost_begin), "; it must be at least ", layout::first_index);
    return route::pushes_by_target(comm.rank(), comm.size(), owned, rows, targets);
}

}  // namespace

Pushed ghost_push(const mpi::Communicator& comm, const Distribution& owners,
                  std::span<const std::int64_t> rows, std::span<const int> targets,
                  std::int64_t ghost_begin) {
    const mpi::Call call(comm, "route.ghost_push");
    auto legs = agreed_for(comm, owners, [&] {
        check_parts(owners, comm);
        return checked_pushes(comm, owners.owned(comm.rank()), rows, targets, ghost_begin);
    });
    return push(comm, ranges_of(owners, comm.rank()), owners.owned(comm.rank()), std::move(legs),
                ghost_begin);
}

Pushed ghost_push(const mpi::Communicator& comm, const Numbering& numbering,
                  std::span<const std::int64_t> rows, std::span<const int> targets,
                  std::int64_t ghost_begin) {
    const mpi::Call call(comm, "route.ghost_push");
    const auto owned = numbering.owned().length();
    auto legs = agreed_for(comm, numbering, [&] {
        numbering.check_made_for(comm);
        return checked_pushes(comm, owned, rows, targets, ghost_begin);
    });
    return push(comm, {.begin = numbering.owned().begin}, owned, std::move(legs), ghost_begin);
}

}  // namespace transrank::discovery
