// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/array/field.hpp"
#include "transrank/array/par_array.hpp"
#include "transrank/copy/field.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/grid/updates.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/index_range.hpp"

namespace transrank::grid {

/// One value for all axes of a grid, or one for each.
template <class T>
class PerAxis {
public:
    PerAxis() = default;  // not given
    /// One value for all axes, or one for each. Throws nothing but std::bad_alloc.
    template <std::convertible_to<T> Value>
    PerAxis(Value all) : values_{T(all)} {}                     // NOLINT(*-explicit-*)
    PerAxis(std::initializer_list<T> each) : values_(each) {}   // NOLINT(*-explicit-*)
    PerAxis(std::vector<T> each) : values_(std::move(each)) {}  // NOLINT(*-explicit-*)

    [[nodiscard]] bool is_given() const noexcept { return !values_.empty(); }
    /// One for each of so many axes. Throws std::invalid_argument, with the `name` of the option,
    /// unless there are as many.
    [[nodiscard]] std::vector<T> of(std::size_t axes, const char* name) const {
        layout::require(values_.size() == axes || values_.size() == 1, values_.size(),
                        " values are given for ", name, "; give one, or one for each of the ", axes,
                        " axes");
        return values_.size() == axes ? values_ : std::vector<T>(axes, values_.front());
    }

private:
    std::vector<T> values_;
};

/// Cells of a halo before a block and after it.
struct Width {
    std::int64_t low;
    std::int64_t high;
    /// As many on both sides, or so many before and after. Throws nothing.
    Width(std::int64_t both) : low(both), high(both) {}  // NOLINT(*-explicit-*)
    Width(std::int64_t before, std::int64_t after) : low(before), high(after) {}
};

/// The same on every rank.
struct Options {
    // NOLINTBEGIN(readability-redundant-member-init): as in layout::GridOptions.
    /// All local arrays have a halo, also at the boundary of a grid that is not periodic, where an
    /// update leaves it as it is: room for boundary values.
    PerAxis<Width> halo = 0;
    /// Whether the first and the last cell are neighbors; by default as in a Cartesian
    /// communicator, else not.
    PerAxis<bool> periodic{};
    /// How many parts each axis has, numbered with the last axis fastest; by default as in a
    /// Cartesian communicator, else as MPI_Dims_create has them.
    std::vector<int> parts{};
    /// In place of `parts`: which part owns which cells of each axis, one range each.
    std::vector<layout::Distribution> distributions{};
    // NOLINTEND(readability-redundant-member-init)
    /// A promise for `halo` and `update`, as exchange::Options::together.
    bool together = false;
};

/// A grid of cells divided into one box per rank. Local arrays hold the rank's cells and a halo
/// around them, the last axis fastest; the components of a cell are adjacent.
///
/// Arrays are what array::field takes: a ParArray, as `array` makes, or memory of the caller's own
/// with one component per cell (std::vector, std::span), or a field of several components.
class Grid {
public:
    /// Collective. `shape` is the number of cells along each axis, of which there are 6 at most.
    /// Throws mpi::AgreedError when options do not fit the shape or the communicator, or ranks pass
    /// different ones.
    Grid(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Options& options = {});

    [[nodiscard]] int rank() const noexcept { return rank_; }
    /// The layout, for routes and redistributions.
    [[nodiscard]] const layout::BlockGrid& layout() const noexcept { return layout_; }
    /// The number of cells of the whole grid along each axis.
    [[nodiscard]] std::vector<std::int64_t> shape() const;
    /// The shape of this rank's arrays, and how many cells they have, halo included.
    [[nodiscard]] std::vector<std::int64_t> local_shape() const { return layout_.shape(rank_); }
    [[nodiscard]] std::int64_t cells() const { return layout_.units(rank_); }
    /// The cells that this rank owns along an axis, as indices of the whole grid.
    /// Throws std::invalid_argument when there is no such axis; so do the other calls of an axis.
    [[nodiscard]] layout::IndexRange owned(int axis) const;
    /// Whether this rank owns cells at a boundary of the grid: the first ones of an axis (side -1)
    /// or the last ones (1). False along a periodic axis. Throws std::invalid_argument for another
    /// side.
    [[nodiscard]] bool at_boundary(int axis, int side) const;

    /// The place in this rank's arrays of a cell, by its place in the rank's box: 0 is the first
    /// owned cell along an axis; the halo is before it, and after the last one. Unchecked.
    template <std::convertible_to<std::int64_t>... Place>
    [[nodiscard]] std::int64_t at(Place... place) const noexcept {
        std::int64_t position = origin_;
        std::size_t axis = 0;
        ((position += static_cast<std::int64_t>(place) * strides_[axis++]), ...);
        return position;
    }

    /// A new array of zeros in node-shared memory, a row of components for each local cell. Throws
    /// std::system_error when there is no memory.
    template <class T, std::int64_t components = 1>
    [[nodiscard]] array::ParArray<T, components> array() const {
        array::ParArray<T, components> made;
        made.resize(cells());
        return made;
    }

    /// The grid of the points between the cells along an axis, and at both ends: one more. Point i
    /// lies between the cells i - 1 and i and belongs to the rank of cell i, the last one to the
    /// rank of the last cell. A periodic axis has as many points as cells. Not collective. Throws
    /// std::invalid_argument when there is no such `axis`.
    [[nodiscard]] Grid staggered(int axis) const;
    /// The same grid, divided in another way, the same on every rank. Not collective. Throws
    /// std::invalid_argument unless the parts fit the axes and the communicator.
    [[nodiscard]] Grid with_parts(const std::vector<int>& parts) const;

    /// Collective. Binds arrays, which have the shape local_shape(), to the update of their halos
    /// (ghost cells), corners included: run the result in each step, or start it, compute what
    /// needs no halo, and wait. Throws mpi::AgreedError for what exchange::Exchange refuses.
    template <class... Arrays>
    [[nodiscard]] exchange::Exchange halo(Arrays&&... arrays) const {
        return bind_halo(
            [&] { return std::vector<Fields>{array::fields(std::forward<Arrays>(arrays)...)}; });
    }
    /// Collective. The same of several sets of arrays, those that a step swaps, of which each start
    /// moves one: `auto halo = grid.halo({fields(u), fields(v)})`, and `halo.run_with(fields(v))`.
    [[nodiscard]] exchange::Exchange halo(std::vector<Fields> sets) const {
        return bind_halo([&] { return std::move(sets); });
    }
    /// Fills the halos of any arrays. Collective when arrays of their types and lengths are updated
    /// together for the first time, which is then the first time on every rank: it throws
    /// mpi::AgreedError as `halo` does. Later it throws transport::BrokenExchange as a wait does.
    template <class... Arrays>
    void update(Arrays&&... arrays) const {
        updates_.move([&] { return array::fields(std::forward<Arrays>(arrays)...); },
                      [&](const auto& fields) {
                          return bind_halo([&] { return std::vector<Fields>{fields()}; }, true);
                      });
    }

    /// Collective. Moves the owned cells of `source`, an array of this grid, to their places in
    /// `destination`, an array of `other`: a division of the same cells over the same communicator,
    /// whose halo is left as it is. Throws mpi::AgreedError when grids or arrays do not fit.
    template <class Source, class Destination>
    void to(const Grid& other, const Source& source, Destination& destination) const {
        move(0, [&] { return Move{layout_, other.layout_, array::field(source, destination)}; });
    }

    /// Collective. The whole array of `source`, in the order of the grid without halo, on the rank
    /// `root`; empty on the others. Own memory has `components` adjacent elements for each cell.
    template <class Source>
    [[nodiscard]] auto gather(const Source& source, int root = 0,
                              std::int64_t components = array::components_of<Source>) const {
        const auto cells = array::elements(source);
        std::vector<typename decltype(cells)::value_type> whole;
        move(root, [&] {
            auto there = on_one_rank(root);
            whole.resize(static_cast<std::size_t>(there.units(rank_) * components));
            return Move{layout_, std::move(there), array::field(cells, whole, components)};
        });
        return whole;
    }
    /// Collective. The reverse: distributes `whole`, which the rank `root` passes, into the owned
    /// cells of `destination`; the others pass nothing.
    template <class T, class Destination>
    void scatter(
        const std::vector<T>& whole, Destination&& destination, int root = 0,
        std::int64_t components = array::components_of<std::remove_cvref_t<Destination>>) const {
        const auto cells = array::elements(destination);
        move(root, [&] {
            return Move{on_one_rank(root), layout_, array::field(whole, cells, components)};
        });
    }

private:
    struct Move {
        layout::BlockGrid source;
        layout::BlockGrid destination;
        copy::Field field;
    };

    Grid(MPI_Comm comm, int rank, int ranks, layout::BlockGrid layout, bool together);
    [[nodiscard]] static Grid make(MPI_Comm comm, const std::vector<std::int64_t>& shape,
                                   const Options& options);
    void check_axis(int axis) const;
    [[nodiscard]] Grid divided(std::vector<layout::Distribution> distributions) const;
    [[nodiscard]] layout::BlockGrid on_one_rank(int root) const;
    [[nodiscard]] exchange::Exchange bind_halo(const std::function<std::vector<Fields>()>& sets,
                                               bool any_memory = false) const;
    /// `root` must be the same on every rank.
    void move(int root, const std::function<Move()>& make) const;

    MPI_Comm comm_;
    int rank_;
    int ranks_;
    layout::BlockGrid layout_;
    bool together_;
    layout::PerDimension<std::int64_t> strides_{};
    std::int64_t origin_ = 0;  ///< where the first owned cell lies
    mutable Updates updates_;
};

}  // namespace transrank::grid
