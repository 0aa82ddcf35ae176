// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "transrank/discovery/numbering.hpp"
#include "transrank/discovery/owner_lookup.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Where ghosts (copies of other ranks' rows) lie in their array, in rows.
struct GhostPlace {
    std::int64_t begin = 0;   ///< row of the first ghost
    std::int64_t extent = 0;  ///< number of rows in the array
    /// The row of each ghost, if the ghosts do not lie side by side from `begin` on; `begin` is
    /// then not used.
    std::optional<std::span<const std::int64_t>> rows = std::nullopt;
};

/// The arguments of ghost_pull on one rank.
struct GhostPull {
    const layout::Distribution* owners = nullptr;  ///< used if `rows` is nullptr
    const Numbering* rows = nullptr;               ///< used unless it is nullptr
    std::span<const std::int64_t> ghosts;
    GhostPlace place;
};

/// Collective. As the other overloads of ghost_pull, with the arguments that `make` returns on each
/// rank. `make` may throw on any rank; every rank then throws mpi::AgreedError.
[[nodiscard]] route::Route ghost_pull(const mpi::Communicator& comm,
                                      const std::function<GhostPull()>& make);

/// Collective. Makes the route that fetches ghosts (copies of rows) from the rows' owners. `ghosts`
/// lists their global indices. Ghost i arrives at row place.begin + i of the destination, or, if
/// place.rows is set, at row place.rows[i]. An index may be requested more than once, and this rank
/// may own it. Rank r of `comm` owns part r of `owners`.
///
/// Throws mpi::AgreedError, the same on every rank, if an index has no owner, the ghosts do not fit
/// `place`, or ranks pass different distributions. Time and memory depend on the number of ghosts
/// and of the ranks that exchange them. If `owners` is an irregular table, ranks also compare the
/// whole table, in a time that grows with the number of ranks.
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm,
                                             const layout::Distribution& owners,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(
        comm, [&] { return GhostPull{.owners = &owners, .ghosts = ghosts, .place = place}; });
}

/// Collective. As ghost_pull with a Distribution, but the numbering `rows` defines the owners.
/// Needs one round of messages if every rank knows the owners (Numbering::owners), otherwise three,
/// two of them to look up the owners.
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm, const Numbering& rows,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(comm,
                      [&] { return GhostPull{.rows = &rows, .ghosts = ghosts, .place = place}; });
}

/// The result of ghost_push: the route, and which ghosts this rank receives.
struct Pushed {
    route::Route route;
    /// The global index of each ghost (copied row) that this rank receives.
    std::vector<std::int64_t> ghosts;
};

/// Collective. Makes the route by which every rank sends its local row rows[i] to rank targets[i]
/// as a ghost (a copy). A row may be listed more than once, and a target may be the rank itself. A
/// rank's ghosts are ordered by the rank that pushes them, then as in that rank's list. They fill
/// the destination from row `ghost_begin` to its end. ghost_pull of Pushed::ghosts makes the
/// identical route.
///
/// Throws mpi::AgreedError, the same on every rank, if a rank does not have a row that it lists, a
/// target does not exist, the lists differ in length, or ranks pass different `owners`.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const layout::Distribution& owners,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// Collective. As ghost_push with a Distribution, but for rows of `numbering`; no owners are looked
/// up.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const Numbering& numbering,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// What one rank requests in ghost_pull: the legs of the route along which it receives ghosts (a
/// leg is what one pair of ranks exchanges), and the messages to the owners.
struct GhostRequests {
    std::vector<route::Leg> legs;
    std::vector<mpi::Message> messages;
};
/// The first step of ghost_pull, without communication: returns what `rank` requests from the
/// `owners` of `ghosts`, which are to arrive at `place`. Throws std::invalid_argument if an index
/// has no owner or the ghosts do not fit `place`.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, const layout::Distribution& owners,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// As write_ghost_requests with a Distribution, but `owners` lists ascending ranges of rows within
/// [0, `extent`), with their owners. The ranges must contain all `ghosts`. Throws
/// std::invalid_argument in the same cases.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, std::span<const OwnerRange> owners,
                                                 std::int64_t extent,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// The last step of ghost_pull, without communication: returns the route of `rank`, one of `ranks`,
/// which owns `owned` rows. `requests` are its own legs, which arrive at `place`; `messages` are
/// other ranks' requests. Throws std::invalid_argument if a requested row does not exist.
[[nodiscard]] route::Route read_ghost_requests(int rank, int ranks, std::int64_t owned,
                                               const GhostPlace& place,
                                               std::vector<route::Leg> requests,
                                               std::span<const mpi::Message> messages);

}  // namespace transrank::discovery
