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
    std::int64_t extent = 0;  ///< rows of the array
    /// The row of each ghost, if ghosts do not lie side by side from `begin` on; it is then not
    /// used.
    std::optional<std::span<const std::int64_t>> rows = std::nullopt;
};

/// The arguments of ghost_pull on one rank.
struct GhostPull {
    const layout::Distribution* owners = nullptr;  ///< used if `rows` is nullptr
    const Numbering* rows = nullptr;               ///< otherwise used
    std::span<const std::int64_t> ghosts;
    GhostPlace place;
};

/// Collective. As the overloads of ghost_pull below, for the arguments that `make` returns. `make`
/// may throw on any rank; every rank then throws mpi::AgreedError.
[[nodiscard]] route::Route ghost_pull(const mpi::Communicator& comm,
                                      const std::function<GhostPull()>& make);

/// Collective. Makes the route that fetches `ghosts`, global indices, from their owners: ghost i
/// arrives at row place.begin + i of the destination, or at row place.rows[i]. An index may be
/// requested more than once, and may be this rank's own. The parts of `owners` are the ranks of
/// `comm`.
///
/// Throws mpi::AgreedError, the same on every rank, when an index has no owner, the ghosts do not
/// fit their place, or ranks pass different distributions. Time and memory depend on the length of
/// the list and the number of ranks that it concerns. Owners in an irregular table are also
/// compared whole, in a time that grows with the number of ranks.
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm,
                                             const layout::Distribution& owners,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(
        comm, [&] { return GhostPull{.owners = &owners, .ghosts = ghosts, .place = place}; });
}

/// Collective. As ghost_pull with a Distribution, for the numbering `rows`. Needs one round of
/// messages if the owners are known (Numbering::owners), otherwise three, two of them to look up
/// the owners.
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm, const Numbering& rows,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(comm,
                      [&] { return GhostPull{.rows = &rows, .ghosts = ghosts, .place = place}; });
}

/// The result of ghost_push: the route, and which ghosts this rank receives.
struct Pushed {
    route::Route route;
    /// The global index of each ghost of this rank.
    std::vector<std::int64_t> ghosts;
};

/// Collective. Makes the route by which every rank sends local row rows[i] to rank targets[i] as a
/// ghost, more than once if listed so, possibly to itself. A rank's ghosts are ordered by pushing
/// rank, then as in that rank's list. They lie from row `ghost_begin` of the destination on, and
/// its extent ends with them. ghost_pull of Pushed::ghosts makes the identical route.
///
/// Throws mpi::AgreedError, the same on every rank, when a row is not this rank's, a target does
/// not exist, the lists differ in length, or ranks pass different `owners`.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const layout::Distribution& owners,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// Collective. As ghost_push with a Distribution, for rows of `numbering`; no owners are looked up.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const Numbering& numbering,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// What one rank requests in ghost_pull: the legs that it receives, and the messages to owners.
struct GhostRequests {
    std::vector<route::Leg> legs;
    std::vector<mpi::Message> messages;
};
/// What `rank` requests from the `owners` of `ghosts`, to arrive at `place`: the first, local work
/// of ghost_pull. Throws std::invalid_argument when an index has no owner or the ghosts do not fit.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, const layout::Distribution& owners,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// As write_ghost_requests with a Distribution, but `owners` are ascending ranges of [0, extent)
/// with at least the owners of all `ghosts`. Throws std::invalid_argument in the same cases.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, std::span<const OwnerRange> owners,
                                                 std::int64_t extent,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// The last, local work of ghost_pull: returns the route of `rank`, one of `ranks`, which owns
/// `owned` rows, from its own `requests`, which arrive at `place`, and the `messages` that have
/// arrived. Throws std::invalid_argument when a row is requested that does not exist.
[[nodiscard]] route::Route read_ghost_requests(int rank, int ranks, std::int64_t owned,
                                               const GhostPlace& place,
                                               std::vector<route::Leg> requests,
                                               std::span<const mpi::Message> messages);

}  // namespace transrank::discovery
