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

/// Returns the ghosts of a rank that owns the range of rows `owned` and needs the rows `wanted`:
/// the wanted rows that it does not own, in ascending order, each once. Not collective; throws
/// nothing.
[[nodiscard]] std::vector<std::int64_t> ghosts_among(std::span<const std::int64_t> wanted,
                                                     const layout::IndexRange& owned);

/// Rows that this rank owns, followed by its ghosts: copies of rows of other ranks. A row holds the
/// values of a cell, a vertex or a particle. Rows are numbered globally in rank order: rank 0 owns
/// the first rows. The functions of Ghosts accept the arrays that array::field accepts, if they
/// have exactly rows() rows.
class Ghosts {
public:
    /// Collective. `owned` is the number of rows of this rank. `wanted` lists the global indices of
    /// the rows that it needs, in any order; they may repeat and include owned rows. Wanted rows of
    /// other ranks become its ghosts, in ascending order. `together` is the promise described at
    /// exchange::Options::together, the same on every rank. Throws mpi::AgreedError if `owned` is
    /// negative or a wanted row does not exist.
    Ghosts(MPI_Comm comm, std::int64_t owned, std::span<const std::int64_t> wanted,
           bool together = false);

    /// owned() is the number of rows that this rank owns; rows() counts its ghosts, too.
    [[nodiscard]] std::int64_t owned() const noexcept { return owned_.length(); }
    [[nodiscard]] std::int64_t rows() const noexcept { return owned() + std::ssize(ghosts_); }
    /// The global index of a local `row`, counted from 0. Throws std::out_of_range when `row` is
    /// rows() or larger.
    [[nodiscard]] std::int64_t index(std::int64_t row) const {
        return row < owned() ? owned_.begin + row
                             : ghosts_.at(static_cast<std::size_t>(row - owned()));
    }
    /// The position in this rank's arrays of the row with this global `index`. Throws
    /// std::invalid_argument if this rank neither owns the row nor has it as a ghost.
    [[nodiscard]] std::int64_t local(std::int64_t index) const;
    /// The route from owned rows to ghosts. Its transposed() leads from ghosts to owned rows.
    [[nodiscard]] const route::Route& route() const noexcept { return *route_; }

    /// Returns a new array of zeros in node-shared memory, with `components` elements for each
    /// local row. Throws std::system_error if memory cannot be allocated.
    template <class T, std::int64_t components = 1>
    [[nodiscard]] array::ParArray<T, components> array() const {
        array::ParArray<T, components> made;
        made.resize(rows());
        return made;
    }

    /// Collective. Returns an exchange that updates the ghosts in `arrays`. Run the exchange in
    /// each step. Throws mpi::AgreedError when the constructor of exchange::Exchange does.
    template <class... Arrays>
    [[nodiscard]] exchange::Exchange halo(Arrays&&... arrays) const {
        return bind(route_, {}, [&] { return array::fields(std::forward<Arrays>(arrays)...); });
    }
    /// Copies the owners' rows into the ghosts of any `arrays`. Collective when arrays of these
    /// types and lengths are updated together for the first time, which must be the first time on
    /// every rank. This first call throws mpi::AgreedError when `halo` does. Later calls throw
    /// transport::BrokenExchange as Exchange::wait does.
    template <class... Arrays>
    void update(Arrays&&... arrays) const {
        move(updates_, route_, copy::Operation::assign, std::forward<Arrays>(arrays)...);
    }
    /// In `arrays`, adds the ghosts of all ranks to the owned rows of which they are copies, in
    /// rank order; the ghosts do not change. Collective when arrays of these types and lengths are
    /// added for the first time. Throws mpi::AgreedError and transport::BrokenExchange as `update`
    /// does.
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
