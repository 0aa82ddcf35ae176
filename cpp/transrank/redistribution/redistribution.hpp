// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "transrank/layout/block_grid.hpp"
#include "transrank/redistribution/movement.hpp"
#include "transrank/route/redistribution.hpp"

namespace transrank::redistribution {

/// Cells of a grid that this rank keeps in any order, one unit each; together the ranks list each
/// cell once, at most. Numbered from 0 through the whole grid (ESMF's sequence index less 1 is
/// first_fastest).
struct Points {
    std::vector<std::int64_t> cells;
    layout::Order numbering = layout::Order::last_fastest;
};

using Layout = std::variant<layout::BlockGrid, Points>;

/// Moves bundles of fields from one layout of a grid to another one.
///
/// `store` once, `run` again and again. Between two grids each rank works its route out alone,
/// whatever their number; a list on one side takes one delivery among those that it concerns.
class Redistribution {
public:
    /// Throws std::invalid_argument when the layouts are of different grids, a dimension that is
    /// divided by a formula has more parts than indices, a halo is wanted of a list, or two lists
    /// are numbered in different orders.
    Redistribution(Layout source, Layout destination,
                   route::Coverage coverage = route::Coverage::owned);

    /// Collective. The route of this rank. Throws mpi::AgreedError, the same on every rank, when a
    /// layout names a rank that does not exist, a listed cell is not in the grid or listed twice,
    /// or lists leave out a cell that the destination grid has.
    [[nodiscard]] route::Route route(MPI_Comm comm) const;

    /// Collective. Makes the route and binds it to `fields`, which stay the caller's and must stay
    /// where they are; a field's unit is a cell with all its values. Throws as `route` and `bind`,
    /// and then has stored nothing.
    void store(MPI_Comm comm, const std::vector<transport::Field>& fields,
               const Options& options = {});

    /// Moves what was stored; see Movement::run. Throws std::logic_error when nothing was.
    void run();
    /// See Movement::run_for and Movement::abandon. Throw as run.
    bool run_for(double seconds);
    [[noreturn]] void abandon(const std::string& why);

    /// How the data of this rank go. Throws as run.
    [[nodiscard]] std::string explain() const;

    [[nodiscard]] Cells cells() const noexcept;

private:
    [[nodiscard]] Movement& stored() const;

    Layout source_;
    Layout destination_;
    route::Coverage coverage_;
    std::unique_ptr<Movement> movement_;
};

}  // namespace transrank::redistribution
