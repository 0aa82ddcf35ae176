// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "transrank/exchange/exchange.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/route/redistribution.hpp"

namespace transrank::redistribution {

/// Cells of a grid that this rank keeps in any order, one unit each. The ranks' sources list a cell
/// once, at most; their destinations may list it any number of times. Numbered from 0 through the
/// whole grid (ESMF's sequence index less 1 is first_fastest).
struct Points {
    std::vector<std::int64_t> cells;
    layout::Order numbering = layout::Order::last_fastest;
};

using Layout = std::variant<layout::BlockGrid, Points>;

/// Throws std::invalid_argument when `source` and `destination` are of different grids, a halo is
/// wanted of a list, or two lists are numbered in different orders.
void check(const Layout& source, const Layout& destination,
           route::Coverage coverage = route::Coverage::owned);

/// Collective. The route of this rank from one layout of a grid to another one. Between two grids
/// each rank works its route out alone, whatever their number; a list on one side takes one
/// delivery among those that it concerns. Throws mpi::AgreedError, the same on every rank: for what
/// `check` refuses, a layout that names a rank that does not exist, a listed cell that is not in
/// the grid, a source listed twice, or lists that leave out a cell that the destination grid has.
[[nodiscard]] route::Route route_between(MPI_Comm comm, const Layout& source,
                                         const Layout& destination,
                                         route::Coverage coverage = route::Coverage::owned);

/// Moves bundles of fields along a route, which is made once: `store` binds it to fields, which
/// are then moved again and again.
class Redistribution {
public:
    /// Collective. From one layout of a grid to another one; throws as route_between.
    Redistribution(MPI_Comm comm, const Layout& source, const Layout& destination,
                   route::Coverage coverage = route::Coverage::owned)
        : Redistribution(comm, route_between(comm, source, destination, coverage)) {}
    /// Not collective. Along any route of the ranks of `comm`, a loaded one for example. Throws
    /// nothing.
    Redistribution(MPI_Comm comm, route::Route route) : comm_(comm), route_(std::move(route)) {}

    [[nodiscard]] const route::Route& route() const noexcept { return route_; }

    /// Collective. Binds an exchange of `fields` and of `others`, sets of them that a start may
    /// move in their place, as its constructor does, in place of what was stored before. Where that
    /// throws, what was stored before stays stored.
    void store(std::vector<copy::Field> fields, const exchange::Options& options = {}) {
        store(std::move(fields), {}, options);
    }
    void store(std::vector<copy::Field> fields, std::vector<std::vector<copy::Field>> others,
               const exchange::Options& options = {}) {
        exchange_.emplace(
            exchange::Exchange(route_, comm_, std::move(fields), std::move(others), options));
    }

    /// The stored exchange; throws std::logic_error if there is none. The functions below call its
    /// functions of the same names, with a limit of `seconds` and a reason `why` as there:
    [[nodiscard]] exchange::Exchange& stored();
    void start() { stored().start(); }
    void start_with(std::span<const copy::Field> fields) { stored().start_with(fields); }
    bool test() { return stored().test(); }
    void wait() { stored().wait(); }
    bool wait_for(double seconds) { return stored().wait_for(seconds); }
    void run() { stored().run(); }
    void run_with(std::span<const copy::Field> fields) { stored().run_with(fields); }
    [[noreturn]] void abandon(const std::string& why) { stored().abandon(why); }
    [[nodiscard]] std::string explain() { return stored().explain(); }
    /// Not collective. Closes the stored exchange; one that is under way is broken by it.
    void close() noexcept { exchange_.reset(); }

private:
    MPI_Comm comm_;
    route::Route route_;
    std::optional<exchange::Exchange> exchange_;
};

}  // namespace transrank::redistribution
