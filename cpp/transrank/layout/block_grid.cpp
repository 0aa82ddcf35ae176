// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/block_grid.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "transrank/layout/list_in_words.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::layout {
namespace {

int count_parts(const std::vector<Distribution>& distributions) {
    std::int64_t parts = 1;
    for (const auto& distribution : distributions) {
        parts *= distribution.parts();
        require(parts <= std::numeric_limits<int>::max(), "the grid has more than ",
                std::numeric_limits<int>::max(), " parts; an MPI rank is an int");
    }
    return static_cast<int>(parts);
}

void check_halo(const Halo& halo, const Distribution& distribution, std::size_t dimension) {
    const auto& [low, high, periodic] = halo;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    require(low >= 0 && high >= 0, "the halo widths ", low, " and ", high, " of dimension ",
            counted(dimension), " must be at least 0");
    require(low <= most - high - distribution.extent(), "the halo widths ", low, " and ", high,
            " of dimension ", counted(dimension), " exceed what 64 bits can count");
    require((low == 0 && high == 0) || distribution.is_contiguous(), "dimension ",
            counted(dimension),
            " has a halo, but its distribution is block-cyclic; give it one range per part, or no "
            "halo");
    require(!periodic || std::max(low, high) <= distribution.extent(), "the halo widths ", low,
            " and ", high, " of dimension ", counted(dimension), " wrap around its extent ",
            distribution.extent(), " more than once; use narrower halos");
}

}  // namespace

BlockGrid::BlockGrid(std::vector<Distribution> distributions, GridOptions options)
    : distributions_(std::move(distributions)), part_order_(options.part_order) {
    require(!distributions_.empty() && distributions_.size() <= max_dimensions, "a grid of ",
            distributions_.size(), " dimensions; it must have 1 to ", max_dimensions);
    const int parts = count_parts(distributions_);
    ranks_ = options.ranks ? std::move(*options.ranks) : RankMap::consecutive(parts);
    require(ranks_.parts() == parts, "the grid has ", parts, " parts, but ranks are given for ",
            ranks_.parts());
    adopt_memory_order(options.memory_order);
    adopt_halo(options.halo);
}

std::vector<std::string> BlockGrid::words() const {
    std::vector<std::string> all{"a grid of " + std::to_string(dimensions()) + " dimensions"};
    for (int d = 0; d < dimensions(); ++d) {
        const auto& [low, high, periodic] = halo(d);
        all.push_back("dimension " + std::to_string(d) + ": " + distribution(d).words() +
                      ", halo of " + std::to_string(low) + " and " + std::to_string(high) +
                      (periodic ? ", periodic" : ""));
    }
    all.push_back("the memory order" + list_in_words(memory_order()));
    all.push_back("the part order " +
                  std::string(part_order_ == Order::last_fastest ? "C" : "Fortran") + ", parts " +
                  ranks_.words());
    return all;
}

void BlockGrid::adopt_memory_order(const std::vector<int>& order) {
    const int last = dimensions() - 1;
    if (order.empty()) {
        for (int dimension = 0; dimension <= last; ++dimension) {
            memory_order_[dimension] = last - dimension;
        }
        return;
    }
    require(order.size() == distributions_.size(), "the memory order names ", order.size(),
            " dimensions of ", distributions_.size());
    PerDimension<bool> seen{};
    for (const int dimension : order) {
        require(dimension >= 0 && dimension <= last && !seen[dimension],
                "the memory order names dimension ", counted(dimension),
                " twice, or there is none; give each of ", counted(0), " to ", counted(last),
                " once, the fastest first");
        seen[dimension] = true;
    }
    std::ranges::copy(order, memory_order_.begin());
}

void BlockGrid::adopt_halo(const std::vector<Halo>& halo) {
    require(halo.empty() || halo.size() == distributions_.size(), "halos are given for ",
            halo.size(), " dimensions of ", distributions_.size());
    has_halo_ = !halo.empty();
    for (std::size_t dimension = 0; dimension < halo.size(); ++dimension) {
        check_halo(halo[dimension], distributions_[dimension], dimension);
        halo_[dimension] = halo[dimension];
    }
}

PerDimension<int> BlockGrid::coordinates(int part) const noexcept {
    PerDimension<int> found{};
    const std::size_t n = distributions_.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t dimension = part_order_ == Order::first_fastest ? i : n - 1 - i;
        found[dimension] = part % distributions_[dimension].parts();
        part /= distributions_[dimension].parts();
    }
    return found;
}

int BlockGrid::part(const PerDimension<int>& coordinates) const noexcept {
    int number = 0;
    const std::size_t n = distributions_.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t dimension = part_order_ == Order::first_fastest ? n - 1 - i : i;
        number = (number * distributions_[dimension].parts()) + coordinates[dimension];
    }
    return number;
}

std::int64_t BlockGrid::local_extent(int dimension, int coordinate) const noexcept {
    const std::int64_t owned = distribution(dimension).owned(coordinate);
    return owned == 0 ? 0 : halo(dimension).low + owned + halo(dimension).high;
}

BlockGrid::Local BlockGrid::local(const PerDimension<int>& coordinates) const {
    Local made{.strides = {}, .units = 1};
    for (const int dimension : memory_order()) {
        made.strides[dimension] = made.units;
        if (__builtin_mul_overflow(made.units, local_extent(dimension, coordinates[dimension]),
                                   &made.units)) {
            refuse("the local array on rank ", rank(coordinates),
                   " has more units than 64 bits can count; use more parts");
        }
    }
    return made;
}

PerDimension<std::int64_t> BlockGrid::strides(const PerDimension<int>& coordinates) const {
    return local(coordinates).strides;
}

std::int64_t BlockGrid::units(int rank) const {
    const int part = ranks_.part(rank);
    return part < 0 ? 0 : local(coordinates(part)).units;
}

PerDimension<std::int64_t> BlockGrid::local_extents(int rank) const noexcept {
    PerDimension<std::int64_t> extents{};
    const int part = ranks_.part(rank);
    if (part < 0) {
        return extents;
    }
    const auto at = coordinates(part);
    for (int dimension = 0; dimension < dimensions(); ++dimension) {
        extents[dimension] = local_extent(dimension, at[dimension]);
    }
    return extents;
}

std::vector<std::int64_t> BlockGrid::shape(int rank) const {
    const auto extents = local_extents(rank);
    std::vector<std::int64_t> made;
    for (const int dimension : memory_order()) {
        made.insert(made.begin(), extents[dimension]);
    }
    return made;
}

PerDimension<IndexRange> BlockGrid::box(int rank) const {
    PerDimension<IndexRange> ranges{};
    if (ranks_.part(rank) < 0) {
        return ranges;
    }
    const auto at = coordinates(ranks_.part(rank));
    for (int d = 0; d < dimensions(); ++d) {
        const std::int64_t pieces = distribution(d).ranges(at[d]);
        require(pieces <= 1, "rank ", rank, " owns ", pieces, " ranges of dimension ", counted(d),
                ", so its cells are not a box; Distribution.ranges gives them");
        ranges[d] = pieces == 0 ? IndexRange{} : distribution(d).range(at[d]);
    }
    return ranges;
}

}  // namespace transrank::layout
