// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/cells.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "transrank/discovery/messages.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/redistribution.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::discovery {
namespace {

using layout::BlockGrid;
using route::Leg;

/// What must be the same on every rank.
mpi::Words words_of(const BlockGrid& grid, const route::CellList& list) {
    auto words = grid.words();
    words.emplace_back(list.numbering == layout::Order::last_fastest ? "cells in C order"
                                                                     : "cells in Fortran order");
    return words;
}

/// Collective. Each leg as its other rank gets it, this rank's leg to itself among them.
std::vector<Leg> hand_over(const mpi::Communicator& comm, const std::vector<Leg>& legs) {
    auto messages =
        message_per_leg(legs, [](Writer& writer, const Leg& leg) { add(writer, leg.segments); });
    return take_legs(deliver(comm, std::move(messages), Subject::cells_found));
}

std::int64_t owned_cells(const BlockGrid& grid, int rank) {
    const int part = grid.ranks().part(rank);
    if (part < 0) {
        return 0;
    }
    std::int64_t cells = 1;
    const auto at = grid.coordinates(part);
    for (int d = 0; d < grid.dimensions(); ++d) {
        cells *= grid.distribution(d).owned(at[d]);
    }
    return cells;
}

void check_once(int rank, const std::vector<Leg>& legs) {
    auto found = route::deliveries(legs);
    if (const auto clash = route::sort_deliveries(found)) {
        layout::refuse("the cell at unit ", layout::counted(clash->number), " of rank ", rank,
                       " is in the source lists of rank ", clash->one, " and of rank ",
                       clash->other, "; each cell may be in one source list, once");
    }
}

void check_all_there(int rank, const std::vector<Leg>& legs, std::int64_t cells) {
    std::int64_t listed = 0;
    for (const auto& leg : legs) {
        listed += leg.units();
    }
    layout::require(listed == cells, "of the ", cells, " cells of rank ", rank, ", ",
                    cells - listed, " are in no source list; each cell must be in one");
}

}  // namespace

route::Route grid_to_lists(const mpi::Communicator& comm, const BlockGrid& source,
                           const route::CellList& destination) {
    const mpi::Call call(comm, "grid_to_lists");
    const int rank = comm.rank();
    const auto want = [&] {
        route::check_ranks(source.ranks().highest(), comm.size());
        return route::cells_wanted(rank, source, destination);
    };
    auto wanted = mpi::agreed(comm, want, "lists cells of", words_of(source, destination));
    auto asked = hand_over(comm, wanted);
    return mpi::agreed(comm, [&] {
        return route::Route(rank, comm.size(), source.units(rank),
                            static_cast<std::int64_t>(destination.cells.size()), std::move(asked),
                            std::move(wanted), {.source = source.shape(rank), .destination = {}});
    });
}

route::Route lists_to_grid(const mpi::Communicator& comm, const route::CellList& source,
                           const BlockGrid& destination) {
    const mpi::Call call(comm, "lists_to_grid");
    const int rank = comm.rank();
    const auto offer = [&] {
        route::check_ranks(destination.ranks().highest(), comm.size());
        return route::cells_offered(rank, source, destination);
    };
    auto offered = mpi::agreed(comm, offer, "lists cells of", words_of(destination, source));
    auto arriving = hand_over(comm, offered);
    return mpi::agreed(comm, [&] {
        check_once(rank, arriving);
        check_all_there(rank, arriving, owned_cells(destination, rank));
        return route::Route(rank, comm.size(), static_cast<std::int64_t>(source.cells.size()),
                            destination.units(rank), std::move(offered), std::move(arriving),
                            {.source = {}, .destination = destination.shape(rank)});
    });
}

}  // namespace transrank::discovery
