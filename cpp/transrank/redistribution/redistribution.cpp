// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/redistribution.hpp"

#include <stdexcept>

#include "transrank/discovery/cells.hpp"
#include "transrank/discovery/lists.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/cell_list.hpp"

namespace transrank::redistribution {
namespace {

using layout::BlockGrid;
using layout::require;

/// What must be the same on every rank.
std::vector<std::string> describe(const Layout& layout) {
    if (const auto* grid = std::get_if<BlockGrid>(&layout)) {
        return grid->words();
    }
    return {std::get<Points>(layout).numbering == layout::Order::first_fastest
                ? "a list of cells numbered with the first dimension fastest"
                : "a list of cells numbered with the last dimension fastest"};
}

std::vector<std::string> describe(const Layout& source, const Layout& destination,
                                  route::Coverage coverage) {
    std::vector<std::string> words{coverage == route::Coverage::owned ? "owned cells only"
                                                                      : "halo cells, too"};
    for (const auto& word : describe(source)) {
        words.push_back("from " + word);
    }
    for (const auto& word : describe(destination)) {
        words.push_back("to " + word);
    }
    return words;
}

route::CellList listed(const Points& points) {
    return {.cells = points.cells, .numbering = points.numbering};
}

}  // namespace

void check(const Layout& source, const Layout& destination, route::Coverage coverage) {
    const auto* from = std::get_if<BlockGrid>(&source);
    const auto* to = std::get_if<BlockGrid>(&destination);
    require(coverage == route::Coverage::owned || to != nullptr,
            "the destination is a list, which has no halo to fill; leave fill_halo out");
    require(coverage == route::Coverage::owned || from != nullptr,
            "a halo can be filled from a grid, not from lists; leave fill_halo out");
    if (from != nullptr && to != nullptr) {
        route::check_same_grid(*from, *to);
    }
    require(from != nullptr || to != nullptr ||
                std::get<Points>(source).numbering == std::get<Points>(destination).numbering,
            "the cells of the source list and those of the destination list are numbered in "
            "different orders; number them alike");
}

route::Route route_between(MPI_Comm comm, const Layout& source, const Layout& destination,
                           route::Coverage coverage) {
    const auto known = exchange::KnownCommunicator::get(comm);
    return known->together("Redistribution", [&](const mpi::Communicator& own) -> route::Route {
        mpi::agree_on(own, "redistributes", [&] {
            check(source, destination, coverage);
            return describe(source, destination, coverage);
        });
        const auto* from = std::get_if<BlockGrid>(&source);
        const auto* to = std::get_if<BlockGrid>(&destination);
        if (from != nullptr && to != nullptr) {
            return mpi::agreed(own, [&] {
                return route::redistribution(own.rank(), own.size(), *from, *to, coverage);
            });
        }
        if (from != nullptr) {
            return discovery::grid_to_lists(own, *from, listed(std::get<Points>(destination)));
        }
        if (to != nullptr) {
            return discovery::lists_to_grid(own, listed(std::get<Points>(source)), *to);
        }
        return discovery::lists_to_lists(own, std::get<Points>(source).cells,
                                         std::get<Points>(destination).cells);
    });
}

exchange::Exchange& Redistribution::stored() {
    if (!exchange_) {
        throw std::logic_error("nothing is stored that could be moved; call store first");
    }
    return *exchange_;
}

}  // namespace transrank::redistribution
