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

/// An option of a Grid: one value for all axes, or one for each axis.
template <class T>
class PerAxis {
public:
    PerAxis() = default;  // not given
    /// Takes one value for `all` axes, or one for `each` axis. Throws nothing but std::bad_alloc.
    template <std::convertible_to<T> Value>
    PerAxis(Value all) : values_{T(all)} {}                     // NOLINT(*-explicit-*)
    PerAxis(std::initializer_list<T> each) : values_(each) {}   // NOLINT(*-explicit-*)
    PerAxis(std::vector<T> each) : values_(std::move(each)) {}  // NOLINT(*-explicit-*)

    [[nodiscard]] bool is_given() const noexcept { return !values_.empty(); }
    /// Returns one value for each of `axes` axes. Throws std::invalid_argument, with the `name` of
    /// the option in the message, unless one value or `axes` values were given.
    [[nodiscard]] std::vector<T> of(std::size_t axes, const char* name) const {
        layout::require(values_.size() == axes || values_.size() == 1, values_.size(),
                        " values are given for ", name, "; give one, or one for each of the ", axes,
                        " axes");
        return values_.size() == axes ? values_ : std::vector<T>(axes, values_.front());
    }

private:
    std::vector<T> values_;
};

/// Width of a halo along one axis: the number of cells before (`low`) and after (`high`) a block.
struct Width {
    std::int64_t low;
    std::int64_t high;
    /// Takes one width for `both` sides, or the widths `before` and `after` a block. Throws
    /// nothing.
    Width(std::int64_t both) : low(both), high(both) {}  // NOLINT(*-explicit-*)
    Width(std::int64_t before, std::int64_t after) : low(before), high(after) {}
};

/// Options of a Grid, the same on every rank.
struct Options {
    // NOLINTBEGIN(readability-redundant-member-init): as in layout::GridOptions.
    /// Width of the halo of all local arrays. They have a halo even at the boundary of a grid that
    /// is not periodic. There, an update leaves the halo unchanged, so it can hold boundary values.
    PerAxis<Width> halo = 0;
    /// Whether the first and the last cell of an axis are neighbors. By default, they are if a
    /// Cartesian communicator is periodic along the axis and neither `parts` nor `distributions` is
    /// given.
    PerAxis<bool> periodic{};
    /// The number of parts along each axis. Part numbers vary fastest along the last axis. By
    /// default, a Cartesian communicator gives these numbers; for others, MPI_Dims_create does.
    std::vector<int> parts{};
    /// Given instead of `parts`: for each axis, which part owns which cells. Each part owns one
    /// range.
    std::vector<layout::Distribution> distributions{};
    // NOLINTEND(readability-redundant-member-init)
    /// For Grid::halo and Grid::update: the promise described at exchange::Options::together.
    bool together = false;
};

/// A grid of cells divided into one box per rank. A local array holds the cells of its rank and a
/// halo (copies of neighboring cells) around them. The last axis varies fastest; the components of
/// a cell are adjacent.
///
/// Its functions accept the arrays that array::field accepts: a ParArray, such as `array` returns;
/// memory of the caller's own (std::vector, std::span) with one component per cell; or a field of
/// several components.
class Grid {
public:
    /// Collective. `shape` is the number of cells along each axis, for at most 6 axes. Throws
    /// mpi::AgreedError if options do not fit the shape or the communicator, or differ between
    /// ranks.
    Grid(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Options& options = {});

    [[nodiscard]] int rank() const noexcept { return rank_; }
    /// The layout, from which routes and redistributions can be made.
    [[nodiscard]] const layout::BlockGrid& layout() const noexcept { return layout_; }
    /// The number of cells of the whole grid along each axis.
    [[nodiscard]] std::vector<std::int64_t> shape() const;
    /// local_shape() is the shape of this rank's arrays; cells() is the number of cells in each.
    /// Both include the halo.
    [[nodiscard]] std::vector<std::int64_t> local_shape() const { return layout_.shape(rank_); }
    [[nodiscard]] std::int64_t cells() const { return layout_.units(rank_); }
    /// The cells along `axis` that this rank owns, as indices of the whole grid. Throws
    /// std::invalid_argument when there is no such axis.
    [[nodiscard]] layout::IndexRange owned(int axis) const;
    /// Whether this rank owns cells at a boundary of the grid: its first cells along `axis` if
    /// `side` is -1, its last cells if `side` is 1. Always false along a periodic axis. Throws
    /// std::invalid_argument if `side` has another value or there is no such axis.
    [[nodiscard]] bool at_boundary(int axis, int side) const;

    /// The position of a cell in this rank's arrays. `place` is its index along each axis, where 0
    /// is the first owned cell; the halo lies below 0 and after the last owned cell. The indices
    /// are not checked.
    template <std::convertible_to<std::int64_t>... Place>
    [[nodiscard]] std::int64_t at(Place... place) const noexcept {
        std::int64_t position = origin_;
        std::size_t axis = 0;
        ((position += static_cast<std::int64_t>(place) * strides_[axis++]), ...);
        return position;
    }

    /// Returns a new array of zeros in node-shared memory, with `components` elements for each
    /// local cell. Throws std::system_error if memory cannot be allocated.
    template <class T, std::int64_t components = 1>
    [[nodiscard]] array::ParArray<T, components> array() const {
        array::ParArray<T, components> made;
        made.resize(cells());
        return made;
    }

    /// Returns the grid of the points between the cells along `axis` and at both ends: one more
    /// point than there are cells. Point i lies between cells i - 1 and i, and belongs to the rank
    /// of cell i; the last point belongs to the rank of the last cell. A periodic axis has as many
    /// points as cells. Not collective. Throws std::invalid_argument if there is no such axis.
    [[nodiscard]] Grid staggered(int axis) const;
    /// Returns the same grid divided differently: `parts` is the number of parts along each axis,
    /// the same on every rank. Not collective. Throws std::invalid_argument unless the parts fit
    /// the axes and the communicator.
    [[nodiscard]] Grid with_parts(const std::vector<int>& parts) const;

    /// Collective. Returns an exchange that updates the halos (ghost cells) of `arrays` of the
    /// shape local_shape(), corners included. In each step, run the exchange; or start it, compute
    /// what needs no halo, and wait. Throws mpi::AgreedError when the constructor of
    /// exchange::Exchange does.
    template <class... Arrays>
    [[nodiscard]] exchange::Exchange halo(Arrays&&... arrays) const {
        return bind_halo(
            [&] { return std::vector<Fields>{array::fields(std::forward<Arrays>(arrays)...)}; });
    }
    /// Collective. Returns an exchange for several `sets` of arrays, which a program swaps in each
    /// step. Each start updates the halos of one set: `auto halo = grid.halo({fields(u),
    /// fields(v)})`, and then `halo.run_with(fields(v))`.
    [[nodiscard]] exchange::Exchange halo(std::vector<Fields> sets) const {
        return bind_halo([&] { return std::move(sets); });
    }
    /// Fills the halos of any `arrays`. Collective when arrays of these types and lengths are
    /// updated together for the first time, which must be the first time on every rank. This first
    /// call throws mpi::AgreedError when `halo` does. Later calls throw transport::BrokenExchange
    /// as Exchange::wait does.
    template <class... Arrays>
    void update(Arrays&&... arrays) const {
        updates_.move([&] { return array::fields(std::forward<Arrays>(arrays)...); },
                      [&](const auto& fields) {
                          return bind_halo([&] { return std::vector<Fields>{fields()}; }, true);
                      });
    }

    /// Collective. Moves the owned cells of `source`, an array of this grid, to their places in
    /// `destination`, an array of the grid `other`, which divides the same cells over the same
    /// communicator. The halo of `destination` does not change. Throws mpi::AgreedError if the
    /// grids differ in their cells or an array does not fit.
    template <class Source, class Destination>
    void to(const Grid& other, const Source& source, Destination& destination) const {
        move(0, [&] { return Move{layout_, other.layout_, array::field(source, destination)}; });
    }

    /// Collective. On the rank `root`, returns the owned cells of `source` from all ranks, in the
    /// order of the whole grid without halo; on the other ranks, returns an empty vector. If
    /// `source` is memory of the caller's own, it has `components` adjacent elements for each cell.
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
    /// Collective. The reverse of gather: distributes the array `whole` from the rank `root` into
    /// the owned cells of `destination`. The other ranks pass an empty `whole`. If `destination` is
    /// memory of the caller's own, it has `components` adjacent elements for each cell.
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
