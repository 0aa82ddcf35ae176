// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transrank/array/field.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/copy/field.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/grid/updates.hpp"
#include "transrank/layout/index_range.hpp"
#include "transrank/route/route.hpp"

namespace transrank::grid {

/// The ghosts of a rank that wants the rows `wanted`: those that are not among its `owned` ones,
/// ascending, each once. Not collective; throws nothing.
[[nodiscard]] std::vector<std::int64_t> ghosts_among(std::span<const std::int64_t> wanted,
                                                     const layout::IndexRange& owned);

/// Rows that this rank owns, and behind them its ghosts: copies of rows of other ranks. A row is
/// what belongs to a cell, a vertex or a particle; rows are numbered globally in the order of the
/// ranks, rank 0 owns the first ones. Arrays are what array::field takes, as for a Grid.
class Ghosts {
public:
    /// Collective. `owned` rows are this rank's; `wanted` are the global indices of those that it
    /// needs, in any order: they may repeat and include own rows. Those of other ranks become its
    /// ghosts, in ascending order. `together` is a promise as exchange::Options::together, the same
    /// on every rank. Throws mpi::AgreedError when `owned` is negative, or a wanted row does not
    /// exist.
    Ghosts(MPI_Comm comm, std::int64_t owned, std::span<const std::int64_t> wanted,
           bool together = false);

    /// How many rows this rank owns, and how many it has in all, ghosts included.
    [[nodiscard]] std::int64_t owned() const noexcept { return owned_.length(); }
    [[nodiscard]] std::int64_t rows() const noexcept { return owned() + std::ssize(ghosts_); }
    /// The global index of a local `row`, counted from 0. Throws std::out_of_range beyond rows().
    [[nodiscard]] std::int64_t index(std::int64_t row) const {
        return row < owned() ? owned_.begin + row
                             : ghosts_.at(static_cast<std::size_t>(row - owned()));
    }
    /// Where a row lies in this rank's arrays, by its global index. Throws std::invalid_argument
    /// when it is neither owned nor a ghost here.
    [[nodiscard]] std::int64_t local(std::int64_t index) const;
    /// The route from owned rows to ghosts; transposed() leads back.
    [[nodiscard]] const route::Route& route() const noexcept { return *route_; }

    /// A new array of zeros in node-shared memory: all local rows. Throws std::system_error when
    /// there is no memory.
    template <class T, std::int64_t components = 1>
    [[nodiscard]] array::ParArray<T, components> array() const {
        array::ParArray<T, components> made;
        made.resize(rows());
        return made;
    }

    /// Collective. Binds arrays to the update of their ghosts; run the result in each step. Throws
    /// mpi::AgreedError for what exchange::Exchange refuses.
    template <class... Arrays>
    [[nodiscard]] exchange::Exchange halo(Arrays&&... arrays) const {
        return bind(route_, {}, [&] { return array::fields(std::forward<Arrays>(arrays)...); });
    }
    /// Copies rows of their owners into the ghosts of any arrays. Collective when arrays of their
    /// types and lengths are moved together for the first time, which is then the first time on
    /// every rank: it throws mpi::AgreedError as `halo` does. Later it throws
    /// transport::BrokenExchange as a wait does.
    template <class... Arrays>
    void update(Arrays&&... arrays) const {
        move(updates_, route_, copy::Operation::assign, std::forward<Arrays>(arrays)...);
    }
    /// Adds the ghosts of all ranks to the rows of their owners, in the order of the ranks; the
    /// ghosts are left as they are. Collective, and throws mpi::AgreedError and
    /// transport::BrokenExchange, as update.
    template <class... Arrays>
    void add(Arrays&&... arrays) const {
        move(sums_, back_, copy::Operation::add, std::forward<Arrays>(arrays)...);
    }

private:
    using Shared = std::shared_ptr<const route::Route>;
    [[nodiscard]] exchange::Exchange bind(const Shared& route, exchange::Options options,
                                          const std::function<Fields()>& fields) const;
    template <class... Arrays>
    void move(Updates& known, const Shared& route, copy::Operation operation,
              Arrays&&... arrays) const {
        exchange::Options options;
        options.operation = operation;
        options.any_memory = true;
        known.move([&] { return array::fields(std::forward<Arrays>(arrays)...); },
                   [&](const auto& fields) { return bind(route, options, fields); });
    }

    MPI_Comm comm_;
    bool together_;
    layout::IndexRange owned_;
    std::vector<std::int64_t> ghosts_;
    Shared route_;
    Shared back_;
    mutable Updates updates_;
    mutable Updates sums_;
};

}  // namespace transrank::grid
