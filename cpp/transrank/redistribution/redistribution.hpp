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

/// Cells of a grid that this rank keeps in any order, one unit each. `cells` are numbers from 0 in
/// the whole grid; `numbering` says which dimension varies fastest (ESMF's sequence indices less 1
/// are first_fastest). All source lists together hold a cell at most once; destination lists may
/// hold it any number of times.
struct Points {
    std::vector<std::int64_t> cells;
    layout::Order numbering = layout::Order::last_fastest;
};

using Layout = std::variant<layout::BlockGrid, Points>;

/// Throws std::invalid_argument when `source` and `destination` are of different grids, `coverage`
/// includes halos although a layout is a list, or two lists are numbered in different orders.
void check(const Layout& source, const Layout& destination,
           route::Coverage coverage = route::Coverage::owned);

/// Collective. Returns this rank's route from the layout `source` of a grid to another,
/// `destination`, with halo cells if `coverage` says so. Between two grids, each rank makes its
/// route alone, whatever the number of ranks; with a list, the ranks concerned exchange messages.
/// Throws mpi::AgreedError, the same on every rank: for what `check` refuses, a layout that names a
/// rank that does not exist, a listed cell that is not in the grid, a source cell listed twice, or
/// source lists without a cell that the destination has.
[[nodiscard]] route::Route route_between(MPI_Comm comm, const Layout& source,
                                         const Layout& destination,
                                         route::Coverage coverage = route::Coverage::owned);

/// Moves sets of fields along a route, which is made once. `store` binds the route to fields, which
/// are then moved again and again.
class Redistribution {
public:
    /// Collective. Makes the route from the layout `source` to `destination`; throws as
    /// route_between.
    Redistribution(MPI_Comm comm, const Layout& source, const Layout& destination,
                   route::Coverage coverage = route::Coverage::owned)
        : Redistribution(comm, route_between(comm, source, destination, coverage)) {}
    /// Not collective. Uses any `route` among the ranks of `comm`, such as a loaded one. Throws
    /// nothing.
    Redistribution(MPI_Comm comm, route::Route route) : comm_(comm), route_(std::move(route)) {}

    [[nodiscard]] const route::Route& route() const noexcept { return route_; }

    /// Collective. Binds an exchange to `fields` and to `others`, further sets of fields that a
    /// start may move instead. The new exchange replaces the stored one. If the constructor of
    /// exchange::Exchange throws, the old exchange stays stored.
    void store(std::vector<copy::Field> fields, const exchange::Options& options = {}) {
        store(std::move(fields), {}, options);
    }
    void store(std::vector<copy::Field> fields, std::vector<std::vector<copy::Field>> others,
               const exchange::Options& options = {}) {
        exchange_.emplace(
            exchange::Exchange(route_, comm_, std::move(fields), std::move(others), options));
    }

    /// `stored` returns the stored exchange; throws std::logic_error if there is none. The
    /// functions from `start` to `explain` call the functions of the same names of that exchange,
    /// with `fields` to move, a limit of `seconds` to wait, and a reason `why` to abandon it.
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
    /// Not collective. Closes the stored exchange; if it is in progress, this breaks it.
    void close() noexcept { exchange_.reset(); }

private:
    MPI_Comm comm_;
    route::Route route_;
    std::optional<exchange::Exchange> exchange_;
};

}  // namespace transrank::redistribution
