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

/// A list of the cells of a grid that this rank keeps, in any order, one unit each. `cells` are
/// numbers counted from 0 in the whole grid; `numbering` says which dimension varies fastest
/// (ESMF's sequence indices minus 1 are first_fastest). All source lists together contain a cell at
/// most once; destination lists may contain it any number of times.
struct Points {
    std::vector<std::int64_t> cells;
    layout::Order numbering = layout::Order::last_fastest;
};

using Layout = std::variant<layout::BlockGrid, Points>;

/// Throws std::invalid_argument if `source` and `destination` belong to different grids, `coverage`
/// includes halos although a layout is a list of cells, or two lists are numbered in different
/// orders.
void check(const Layout& source, const Layout& destination,
           route::Coverage coverage = route::Coverage::owned);

/// Collective. Returns this rank's route from the layout `source` of a grid to another layout,
/// `destination`, of the same grid. The route includes halo cells if `coverage` says so. Between
/// two BlockGrids, each rank makes its route alone. If a layout is a list (Points), the ranks
/// concerned exchange messages. Throws mpi::AgreedError, the same on every rank, if `check` refuses
/// the layouts, a layout names a rank that does not exist, a listed cell is not in the grid, a
/// source cell is listed twice, or source lists lack a cell that the destination has.
[[nodiscard]] route::Route route_between(MPI_Comm comm, const Layout& source,
                                         const Layout& destination,
                                         route::Coverage coverage = route::Coverage::owned);

/// Moves fields (arrays) along a route that is made once. `store` binds the route to fields, which
/// can then be moved again and again.
class Redistribution {
public:
    /// Collective. Makes the route from the layout `source` to the layout `destination`; throws as
    /// route_between does.
    Redistribution(MPI_Comm comm, const Layout& source, const Layout& destination,
                   route::Coverage coverage = route::Coverage::owned)
        : Redistribution(comm, route_between(comm, source, destination, coverage)) {}
    /// Not collective. Makes a redistribution from an existing `route` among the ranks of `comm`,
    /// for example one that was read from a file. Throws nothing.
    Redistribution(MPI_Comm comm, route::Route route) : comm_(comm), route_(std::move(route)) {}

    [[nodiscard]] const route::Route& route() const noexcept { return route_; }

    /// Collective. Binds an exchange to `fields`, and stores it in place of the old one. `others`
    /// are further sets of fields; a start may move one of them instead of `fields`. If the
    /// constructor of exchange::Exchange throws, the old exchange stays stored.
    void store(std::vector<copy::Field> fields, const exchange::Options& options = {}) {
        store(std::move(fields), {}, options);
    }
    void store(std::vector<copy::Field> fields, std::vector<std::vector<copy::Field>> others,
               const exchange::Options& options = {}) {
        exchange_.emplace(
            exchange::Exchange(route_, comm_, std::move(fields), std::move(others), options));
    }

    /// These functions act on the stored exchange: `stored` returns it, and the others, from
    /// `start` to `explain`, call its function of the same name. `fields` are the arrays to move,
    /// `seconds` limits the wait, and `why` is the reason to abandon the exchange. All of them
    /// throw std::logic_error if no exchange is stored.
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
    /// Not collective. Closes the stored exchange. If the exchange is in progress, this breaks it.
    void close() noexcept { exchange_.reset(); }

private:
    MPI_Comm comm_;
    route::Route route_;
    std::optional<exchange::Exchange> exchange_;
};

}  // namespace transrank::redistribution
