// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/array/ghost_mapping.hpp"

#include <numeric>
#include <utility>

#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/route_check.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::array {

using layout::require;

std::shared_ptr<const GhostMapping> pulled_mapping(const mpi::Communicator& comm,
                                                   const discovery::Numbering& numbering,
                                                   std::span<const std::int64_t> ghosts) {
    auto route = discovery::ghost_pull(
        comm, numbering, ghosts, {.begin = 0, .extent = static_cast<std::int64_t>(ghosts.size())});
    return std::make_shared<const GhostMapping>(
        GhostMapping{.numbering = numbering,
                     .route = std::move(route),
                     .ghosts = {ghosts.begin(), ghosts.end()}});
}

std::shared_ptr<const GhostMapping> pushed_mapping(const mpi::Communicator& comm,
                                                   const discovery::Numbering& numbering,
                                                   std::span<const std::int64_t> rows,
                                                   std::span<const int> targets) {
    auto pushed = discovery::ghost_push(comm, numbering, rows, targets);
    return std::make_shared<const GhostMapping>(GhostMapping{.numbering = numbering,
                                                             .route = std::move(pushed.route),
                                                             .ghosts = std::move(pushed.ghosts)});
}

std::shared_ptr<const GhostMapping> mapping_along(const mpi::Communicator& comm,
                                                  const discovery::Numbering& numbering,
                                                  const route::Route& route) {
    mpi::agree(comm, [&] {
        discovery::check_belongs(route, comm);
        require(route.source_extent() == numbering.owned().length(), "the route leads from ",
                route.source_extent(), " rows on rank ", comm.rank(), ", but the father has ",
                numbering.owned().length(), "; take another route");
    });
    struct Indices {
        std::vector<std::int64_t> owned;
        std::vector<std::int64_t> ghosts;
    };
    const auto indices = std::make_shared<Indices>();  // MPI may outlive a run that fails
    indices->owned.resize(static_cast<std::size_t>(route.source_extent()));
    std::iota(indices->owned.begin(), indices->owned.end(), numbering.owned().begin);
    indices->ghosts.resize(static_cast<std::size_t>(route.destination_extent()), -1);
    const auto from = std::as_bytes(std::span(indices->owned));
    const auto to = std::as_writable_bytes(std::span(indices->ghosts));
    exchange::Exchange(route, comm.handle(),
                       {{.source = from.data(),
                         .source_bytes = static_cast<std::int64_t>(from.size()),
                         .destination = to.data(),
                         .destination_bytes = static_cast<std::int64_t>(to.size()),
                         .unit_bytes = sizeof(std::int64_t),
                         .scalar = transport::Scalar::int64,
                         .keep_alive = indices}})
        .run();
    return std::make_shared<const GhostMapping>(
        GhostMapping{.numbering = numbering, .route = route, .ghosts = std::move(indices->ghosts)});
}

Movement move_rows(const mpi::Communicator& comm, const GhostMapping& mapping,
                   const layout::Rows& owned) {
    mpi::agree_on(comm, "has rows of", {std::to_string(owned.pitch()) + " elements"});
    const auto& route = mapping.route;
    if (owned.pitch() == 0) {  // nothing to move, whatever the route says
        return {.route = {route.rank(), route.ranks(), 0, 0, {}, {}}};
    }
    return {.route = route, .unit_elements = owned.pitch()};
}

void check_mapping(const mpi::Communicator& comm, const GhostMapping* mapping, std::int64_t rows) {
    require(mapping != nullptr, "there is no ghost mapping on rank ", comm.rank(),
            "; create_ghost_mapping makes one");
    discovery::check_belongs(mapping->route, comm);
    require(mapping->route.source_extent() == rows, "the ghost mapping is for ",
            mapping->route.source_extent(), " owned rows on rank ", comm.rank(),
            ", but the father has ", rows, "; resize it or make another mapping");
}

void check_numbering(const mpi::Communicator& comm, const discovery::Numbering* numbering,
                     std::int64_t rows) {
    require(numbering != nullptr, "the rows of the father have no global numbers on rank ",
            comm.rank(), "; create_global_mapping gives them");
    require(numbering->owned().length() == rows, "the father has ", rows, " rows on rank ",
            comm.rank(), ", but had ", numbering->owned().length(),
            " when they were numbered; call create_global_mapping again");
}

}  // namespace transrank::array
