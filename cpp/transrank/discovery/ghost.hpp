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

/// Where ghosts lie in their array, in rows.
struct GhostPlace {
    std::int64_t begin = 0;   ///< of the first ghost
    std::int64_t extent = 0;  ///< of the array
    /// The row of each ghost, where they do not lie side by side from `begin` on; it is not used.
    std::optional<std::span<const std::int64_t>> rows = std::nullopt;
};

/// What one rank asks for.
struct GhostPull {
    const layout::Distribution* owners = nullptr;  ///< this one
    const Numbering* rows = nullptr;               ///< or this one
    std::span<const std::int64_t> ghosts;
    GhostPlace place;
};

/// Collective. The route that fetches what `make` returns, which may throw on any rank, as the
/// functions below say: the ranks agree on that and on what they ask for at once.
[[nodiscard]] route::Route ghost_pull(const mpi::Communicator& comm,
                                      const std::function<GhostPull()>& make);

/// Collective. The route that fetches `ghosts`, global indices, from their owners: ghost i arrives
/// at row place.begin + i of the destination, or at row place.rows[i]. An index may be asked for
/// more than once, and one may be this rank's own. The parts of `owners` are the ranks of `comm`.
///
/// Throws mpi::AgreedError, the same on every rank, when an index has no owner, the ghosts do not
/// fit their place, or ranks pass different distributions. Time and memory are those of the list
/// and of the ranks that it concerns; owners in an irregular table are compared whole besides, in a
/// time that grows with the number of ranks.
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm,
                                             const layout::Distribution& owners,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(
        comm, [&] { return GhostPull{.owners = &owners, .ghosts = ghosts, .place = place}; });
}

/// Collective. The same for rows numbered through all ranks: in one delivery where owners are
/// known (Numbering::owners), else in three, two of them to look up the owners (look_up_owners).
[[nodiscard]] inline route::Route ghost_pull(const mpi::Communicator& comm, const Numbering& rows,
                                             std::span<const std::int64_t> ghosts,
                                             const GhostPlace& place) {
    return ghost_pull(comm,
                      [&] { return GhostPull{.rows = &rows, .ghosts = ghosts, .place = place}; });
}

/// A route that was made by its senders, and what its receivers must know of it.
struct Pushed {
    route::Route route;
    /// The global index of each ghost of this rank.
    std::vector<std::int64_t> ghosts;
};

/// Collective. The route by which every rank gives local row rows[i] to rank targets[i] as a ghost,
/// more than once if listed so, possibly to itself. The ghosts of a rank are those pushed to it,
/// ordered by pushing rank and then as pushed; they lie from row `ghost_begin` on, and the extent
/// of the destination is where they end. ghost_pull of Pushed::ghosts makes the identical route.
///
/// Throws mpi::AgreedError, the same on every rank, when a row is not this rank's, a target does
/// not exist, or the lists differ in length.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const layout::Distribution& owners,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// Collective. The same for rows numbered through all ranks; needs no directory.
[[nodiscard]] Pushed ghost_push(const mpi::Communicator& comm, const Numbering& numbering,
                                std::span<const std::int64_t> rows, std::span<const int> targets,
                                std::int64_t ghost_begin = 0);

/// The local work of ghost_pull, before and after its last delivery.
struct GhostRequests {
    std::vector<route::Leg> legs;
    std::vector<mpi::Message> messages;
};
/// What `rank` asks the owners of `ghosts` for. Throws std::invalid_argument as ghost_pull refuses.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, const layout::Distribution& owners,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// `owners` ascend, and hold at least the owners of all ghosts among `extent` rows. Throws
/// std::invalid_argument as above.
[[nodiscard]] GhostRequests write_ghost_requests(int rank, std::span<const OwnerRange> owners,
                                                 std::int64_t extent,
                                                 std::span<const std::int64_t> ghosts,
                                                 const GhostPlace& place);
/// `owned` rows are this rank's of `ranks`, `requests` what it has written itself, `messages` what
/// has arrived. Throws std::invalid_argument when a row is asked for that is not there.
[[nodiscard]] route::Route read_ghost_requests(int rank, int ranks, std::int64_t owned,
                                               const GhostPlace& place,
                                               std::vector<route::Leg> requests,
                                               std::span<const mpi::Message> messages);

}  // namespace transrank::discovery
