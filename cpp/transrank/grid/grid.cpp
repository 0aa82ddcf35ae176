// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/grid/grid.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "transrank/exchange/known_communicator.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"

namespace transrank::grid {

namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::require;
using Numbers = std::vector<std::int64_t>;

/// The parts and periods of a Cartesian communicator, else what MPI_Dims_create has.
struct Topology {
    std::vector<int> parts;
    std::vector<int> periods;
};

Topology topology_of(MPI_Comm comm, int ranks, int axes) {
    int kind = MPI_UNDEFINED;
    mpi::check(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
    int given = axes;
    if (kind == MPI_CART) {
        mpi::check(MPI_Cartdim_get(comm, &given), "MPI_Cartdim_get");
        require(given == axes, "the Cartesian communicator has ", given, " dimensions, the grid ",
                axes, " axes; give parts");
    }
    Topology found{.parts = std::vector<int>(static_cast<std::size_t>(axes)),
                   .periods = std::vector<int>(static_cast<std::size_t>(axes))};
    if (kind == MPI_CART) {
        std::vector<int> place(found.parts.size());
        mpi::check(MPI_Cart_get(comm, axes, found.parts.data(), found.periods.data(), place.data()),
                   "MPI_Cart_get");
    } else {
        mpi::check(MPI_Dims_create(ranks, axes, found.parts.data()), "MPI_Dims_create");
    }
    return found;
}

std::vector<Distribution> divide(const Numbers& shape, const std::vector<int>& parts) {
    require(parts.size() == shape.size(), parts.size(), " numbers of parts are given for ",
            shape.size(), " axes; give one for each");
    std::vector<Distribution> made;
    std::ranges::transform(shape, parts, std::back_inserter(made), Distribution::even);
    return made;
}

BlockGrid layout_of(MPI_Comm comm, int ranks, const Numbers& shape, const Options& options) {
    require(!shape.empty(), "a grid has no axes; give the number of cells of each");
    const auto axes = shape.size();
    std::vector<bool> periodic(axes);
    auto parts = options.parts;
    if (parts.empty() && options.distributions.empty()) {
        auto topology = topology_of(comm, ranks, static_cast<int>(axes));
        parts = std::move(topology.parts);
        periodic.assign(topology.periods.begin(), topology.periods.end());
    }
    if (options.periodic.is_given()) {
        periodic = options.periodic.of(axes, "periodic");
    }
    const auto widths = options.halo.of(axes, "halo");
    auto distributions =
        options.distributions.empty() ? divide(shape, parts) : options.distributions;
    require(distributions.size() == axes, distributions.size(), " distributions are given for ",
            axes, " axes; give one for each");
    std::vector<layout::Halo> halo;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        require(distributions[axis].extent() == shape[axis], "axis ", axis, " has ", shape[axis],
                " cells, its distribution ", distributions[axis].extent());
        halo.push_back({widths[axis].low, widths[axis].high, periodic[axis]});
    }
    return BlockGrid(std::move(distributions), {.halo = std::move(halo)});
}

}  // namespace

Grid::Grid(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Options& options)
    : Grid(make(comm, shape, options)) {}

Grid Grid::make(MPI_Comm comm, const std::vector<std::int64_t>& shape, const Options& options) {
    const auto known = exchange::KnownCommunicator::get(comm);
    return known->together("Grid", [&](const mpi::Communicator& own) {
        std::optional<Grid> made;
        mpi::agree_on(own, "makes", [&] {
            made.emplace(Grid(comm, own.rank(), own.size(),
                              layout_of(comm, own.size(), shape, options), options.together));
            auto words = made->layout_.words();
            words.emplace_back(options.together ? "together" : "not together");
            return words;
        });
        return *std::move(made);  // NOLINT(bugprone-unchecked-optional-access): else it has thrown
    });
}

Grid::Grid(MPI_Comm comm, int rank, int ranks, BlockGrid layout, bool together)
    : comm_(comm), rank_(rank), ranks_(ranks), layout_(std::move(layout)), together_(together) {
    require(layout_.ranks().highest() < ranks_, "a grid of ", layout_.ranks().parts(),
            " parts needs as many ranks; the communicator has ", ranks_);
    (void)layout_.box(rank_);  // refuses what is not one range
    if (const int part = layout_.ranks().part(rank_); part >= 0) {
        strides_ = layout_.strides(layout_.coordinates(part));
    }
    for (int axis = 0; axis < layout_.dimensions(); ++axis) {
        origin_ += layout_.halo(axis).low * strides_[static_cast<std::size_t>(axis)];
    }
}

void Grid::check_axis(int axis) const {
    require(0 <= axis && axis < layout_.dimensions(), "axis is ", axis, "; the grid has ",
            layout_.dimensions(), " axes, from 0");
}

layout::IndexRange Grid::owned(int axis) const {
    check_axis(axis);
    return layout_.box(rank_)[static_cast<std::size_t>(axis)];
}

bool Grid::at_boundary(int axis, int side) const {
    check_axis(axis);
    require(side == -1 || side == 1, "side is ", side, "; give -1 or 1");
    const auto box = layout_.box(rank_);
    const auto is_empty = [](const layout::IndexRange& range) { return range.empty(); };
    if (layout_.halo(axis).periodic ||
        std::any_of(box.begin(), box.begin() + layout_.dimensions(), is_empty)) {
        return false;
    }
    const auto own = owned(axis);
    return side < 0 ? own.begin == 0 : own.end == layout_.distribution(axis).extent();
}

Numbers Grid::shape() const {
    Numbers extents;
    std::ranges::transform(layout_.distributions(), std::back_inserter(extents),
                           &Distribution::extent);
    return extents;
}

Grid Grid::divided(std::vector<Distribution> distributions) const {
    const auto halos = layout_.halos();
    return {comm_, rank_, ranks_,
            BlockGrid(std::move(distributions), {.halo = {halos.begin(), halos.end()}}), together_};
}

Grid Grid::staggered(int axis) const {
    check_axis(axis);
    const auto cells = layout_.distributions();
    std::vector<Distribution> points(cells.begin(), cells.end());
    auto& along = points[static_cast<std::size_t>(axis)];
    if (!layout_.halo(axis).periodic) {
        Numbers boundaries{0};
        std::int64_t end = 0;
        for (int part = 0; part < along.parts(); ++part) {
            end += along.owned(part);
            boundaries.push_back(end == along.extent() ? end + 1 : end);
        }
        along = Distribution::irregular(std::move(boundaries));
    }
    return divided(std::move(points));
}

Grid Grid::with_parts(const std::vector<int>& parts) const {
    return divided(divide(shape(), parts));
}

BlockGrid Grid::on_one_rank(int root) const {
    require(0 <= root && root < ranks_, "root is ", root, "; the ranks are 0 to ", ranks_ - 1);
    const std::vector<int> ones(layout_.distributions().size(), 1);
    return BlockGrid(divide(shape(), ones), {.ranks = layout::RankMap::consecutive(1, root)});
}

exchange::Exchange Grid::bind_halo(const std::function<std::vector<Fields>()>& sets,
                                   bool any_memory) const {
    exchange::Options options;
    options.any_memory = any_memory;
    options.together = together_;
    return exchange::Exchange(
        comm_,
        [&] {
            auto others = sets();
            require(!others.empty(), "no arrays are given for a halo");
            auto first = std::move(others.front());
            others.erase(others.begin());
            return exchange::Parts{
                .route = std::make_shared<const route::Route>(route::halo(rank_, ranks_, layout_)),
                .fields = std::move(first),
                .others = std::move(others),
                .words = layout_.words()};
        },
        options);
}

void Grid::move(int root, const std::function<Move()>& make) const {
    exchange::Exchange(comm_, [&] {
        auto moved = make();
        std::vector<std::string> words{"root " + std::to_string(root)};
        std::ranges::copy(moved.source.words(), std::back_inserter(words));
        std::ranges::copy(moved.destination.words(), std::back_inserter(words));
        return exchange::Parts{.route = std::make_shared<const route::Route>(route::redistribution(
                                   rank_, ranks_, moved.source, moved.destination)),
                               .fields = {std::move(moved.field)},
                               .words = std::move(words)};
    }).run();
}

}  // namespace transrank::grid
