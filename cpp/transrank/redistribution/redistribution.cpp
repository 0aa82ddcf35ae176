// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/redistribution.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

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

// Empty parts are for those who give boundaries; elsewhere they are a mistake in the partition.
void check_parts(const Layout& layout, const char* side) {
    const auto* grid = std::get_if<BlockGrid>(&layout);
    for (int d = 0; grid != nullptr && d < grid->dimensions(); ++d) {
        const auto& distribution = grid->distribution(d);
        require(distribution.has_table() || distribution.extent() == 0 ||
                    distribution.parts() <= distribution.extent(),
                "dimension ", d, " of the ", side, " has ", distribution.parts(), " parts for ",
                distribution.extent(),
                " indices; use fewer parts, or a table of boundaries, where parts may be empty");
    }
}

/// What must be the same on every rank.
std::string describe(const Layout& layout) {
    const auto* points = std::get_if<Points>(&layout);
    if (points == nullptr) {
        return "a grid";
    }
    return points->numbering == layout::Order::first_fastest
               ? "a list of cells numbered with the first dimension fastest"
               : "a list of cells numbered with the last dimension fastest";
}

route::CellList listed(const Points& points) {
    return {.cells = points.cells, .numbering = points.numbering};
}

}  // namespace

Redistribution::Redistribution(Layout source, Layout destination, route::Coverage coverage)
    : source_(std::move(source)), destination_(std::move(destination)), coverage_(coverage) {
    check_parts(source_, "source");
    check_parts(destination_, "destination");
    require(coverage == route::Coverage::owned || std::holds_alternative<BlockGrid>(destination_),
            "a list has no halo that could be filled; leave fill_halo out");
    require(coverage == route::Coverage::owned || std::holds_alternative<BlockGrid>(source_),
            "only from a grid can a halo be filled, not from lists; leave fill_halo out");
    const auto* from = std::get_if<BlockGrid>(&source_);
    const auto* to = std::get_if<BlockGrid>(&destination_);
    if (from != nullptr && to != nullptr) {
        route::check_same_grid(*from, *to);
    }
    require(from != nullptr || to != nullptr ||
                std::get<Points>(source_).numbering == std::get<Points>(destination_).numbering,
            "the cells of the source list and those of the destination list are numbered in "
            "different orders; number them alike");
}

Cells Redistribution::cells() const noexcept {
    return std::holds_alternative<BlockGrid>(source_) &&
                   std::holds_alternative<BlockGrid>(destination_)
               ? Cells::blocks
               : Cells::points;
}

route::Route Redistribution::route(MPI_Comm comm) const {
    const auto loan = exchange::KnownCommunicator::get(comm)->borrow();
    const auto& own = loan.comm();
    const auto* from = std::get_if<BlockGrid>(&source_);
    const auto* to = std::get_if<BlockGrid>(&destination_);
    mpi::agree_on(own, "redistributes",
                  {"from " + describe(source_), "to " + describe(destination_)});
    if (from != nullptr && to != nullptr) {
        return mpi::agreed(own, [&] {
            return route::redistribution(own.rank(), own.size(), *from, *to, coverage_);
        });
    }
    if (from != nullptr) {
        return discovery::grid_to_lists(own, *from, listed(std::get<Points>(destination_)));
    }
    if (to != nullptr) {
        return discovery::lists_to_grid(own, listed(std::get<Points>(source_)), *to);
    }
    return discovery::lists_to_lists(own, std::get<Points>(source_).cells,
                                     std::get<Points>(destination_).cells);
}

void Redistribution::store(MPI_Comm comm, const std::vector<transport::Field>& fields,
                           const Options& options) {
    movement_ = redistribution::bind(route(comm), cells(), comm, fields, options);
}

Movement& Redistribution::stored() const {
    if (!movement_) {
        throw std::logic_error("nothing is stored that could be run; call store first");
    }
    return *movement_;
}

void Redistribution::run() {
    stored().run();
}

bool Redistribution::run_for(double seconds) {
    return stored().run_for(seconds);
}

void Redistribution::abandon(const std::string& why) {
    stored().abandon(why);
}

std::string Redistribution::explain() const {
    return stored().explain();
}

}  // namespace transrank::redistribution
