// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/task.hpp"

#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "lab/study/named.hpp"

namespace transrank::lab::study::redistribute {
namespace {

/// All cells in an order that leaves no two neighbors together, and of it an equal part for each
/// rank: what meshes that know no grid make of one.
std::vector<std::int64_t> listed_cells(const Grid& grid, int rank, int ranks) {
    std::vector<std::int64_t> cells(static_cast<std::size_t>(grid.cells()));
    std::iota(cells.begin(), cells.end(), std::int64_t{0});
    std::mt19937_64 engine(2007);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same on every rank
    for (std::size_t i = cells.size(); i > 1; --i) {
        std::swap(cells[i - 1], cells[engine() % i]);
    }
    const auto range = layout::Distribution::even(grid.cells(), ranks).range(rank);
    return {cells.begin() + range.begin, cells.begin() + range.end};
}

Side side_of(const Grid& grid, bool listed, const Parts& parts, int rank, int ranks) {
    if (listed) {
        auto cells = listed_cells(grid, rank, ranks);
        return {.layout = redistribution::Points{.cells = cells,
                                                 .numbering = layout::Order::first_fastest},
                .share = std::move(cells)};
    }
    auto blocks = layout_of(grid, parts);
    const auto own = block_of(blocks, rank);
    return {.layout = std::move(blocks), .share = own};
}

}  // namespace

const Layouts& layouts_named(std::string_view name) {
    return named(layout_kinds, name, "layouts");
}

Task::Task(const Grid& wanted, const Layouts& kinds, const Partition& partition, int rank_of,
           int ranks_of)
    : grid(wanted),
      source(side_of(wanted, kinds.source_listed, partition.source, rank_of, ranks_of)),
      destination(
          side_of(wanted, kinds.destination_listed, partition.destination, rank_of, ranks_of)),
      rank(rank_of),
      ranks(ranks_of) {}

route::Route Task::route(MPI_Comm comm) const {
    return redistribution::route_between(comm, source.layout, destination.layout);
}

}  // namespace transrank::lab::study::redistribute
