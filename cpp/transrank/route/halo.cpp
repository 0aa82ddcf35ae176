// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/halo.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "transrank/layout/require.hpp"
#include "transrank/route/direction.hpp"
#include "transrank/route/loop_nest.hpp"
#include "transrank/route/strip.hpp"

namespace transrank::route {
namespace {

using layout::BlockGrid;
using layout::PerDimension;

/// One zone in each dimension: a box of the local array.
using Region = PerDimension<Zone>;

bool is_wanted(const Region& region, int dimensions, Corners corners) {
    const auto outside =
        dimensions - std::count(region.begin(), region.begin() + dimensions, Zone::inside);
    return outside == 1 || (outside > 1 && corners == Corners::included);
}

/// The next region, the first dimension of `order` varying fastest; false after the last one.
bool advance(Region& region, std::span<const int> order) {
    for (const int dimension : order) {
        Zone& zone = region[static_cast<std::size_t>(dimension)];
        if (zone != Zone::high) {
            zone = static_cast<Zone>(static_cast<int>(zone) + 1);
            return true;
        }
        zone = Zone::low;
    }
    return false;
}

/// The legs of one direction, one per region.
class Regions {
public:
    Regions(const BlockGrid& grid, int part, Direction direction)
        : grid_(grid), mine_(grid.coordinates(part)), direction_(direction) {
        own_strides_ = grid.strides(mine_);
        for (int d = 0; d < grid.dimensions(); ++d) {
            const auto i = static_cast<std::size_t>(d);
            strips_[i] = halo_strips(grid.distribution(d), grid.halo(d), mine_[i], direction);
        }
    }

    /// Appends the leg of a region unless nothing fills it.
    void append(const Region& region, std::vector<Leg>& legs) {
        PerDimension<int> peer{};
        for (const int dimension : grid_.memory_order()) {
            const auto i = static_cast<std::size_t>(dimension);
            peer[i] = strip_of(strips_[i], region[i]).peer;
            if (peer[i] == Strip::nobody) {
                return;
            }
        }
        legs.push_back({.peer = grid_.rank(peer), .segments = {}});
        append_box(region, grid_.strides(peer), legs.back().segments);
    }

private:
    void append_box(const Region& region, const PerDimension<std::int64_t>& peer_strides,
                    std::vector<Segment>& segments) {
        const bool sending = direction_ == Direction::sending;
        const auto& source_strides = sending ? own_strides_ : peer_strides;
        const auto& destination_strides = sending ? peer_strides : own_strides_;
        LoopNest nest;
        std::int64_t source = 0;
        std::int64_t destination = 0;
        for (const int dimension : grid_.memory_order()) {
            const auto i = static_cast<std::size_t>(dimension);
            const Strip& strip = strip_of(strips_[i], region[i]);
            nest.add({.count = strip.length,
                      .source_stride = source_strides[i],
                      .destination_stride = destination_strides[i]});
            source += strip.source * source_strides[i];
            destination += strip.destination * destination_strides[i];
        }
        nest.append_to(segments, source, destination);
    }

    const BlockGrid& grid_;
    PerDimension<int> mine_;
    Direction direction_;
    PerDimension<std::int64_t> own_strides_{};
    PerDimension<Strips> strips_{};
};

/// Puts the legs to one peer together; within it the regions keep their order.
std::vector<Leg> join_by_peer(std::vector<Leg> legs) {
    std::vector<std::size_t> order(legs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(legs[i].peer, i); });
    std::vector<Leg> joined;
    for (const std::size_t i : order) {
        if (joined.empty() || joined.back().peer != legs[i].peer) {
            joined.push_back(std::move(legs[i]));
        } else {
            auto& segments = joined.back().segments;
            segments.insert(segments.end(), legs[i].segments.begin(), legs[i].segments.end());
        }
    }
    return joined;
}

std::vector<Leg> legs(const BlockGrid& grid, int rank, Direction direction, Corners corners) {
    if (grid.units(rank) == 0) {
        return {};
    }
    Regions regions(grid, grid.ranks().part(rank), direction);
    std::vector<Leg> made;
    Region region{};
    do {
        if (is_wanted(region, grid.dimensions(), corners)) {
            regions.append(region, made);
        }
    } while (advance(region, grid.memory_order()));
    return join_by_peer(std::move(made));
}

/// Every rank checks every part, so that all find the same fault.
void check_thinnest(const BlockGrid& grid, int dimension) {
    const auto& halo = grid.halo(dimension);
    const auto& distribution = grid.distribution(dimension);
    const std::int64_t width = std::max(halo.low, halo.high);
    if (width == 0) {
        return;
    }
    const auto [part, length] = distribution.shortest();
    const bool has_neighbors = halo.periodic || length < distribution.extent();
    if (length > 0 && length < width && has_neighbors) {
        PerDimension<int> thin{};
        thin[static_cast<std::size_t>(dimension)] = part;
        layout::refuse("halo width (", width, ") exceeds the owned extent (", length,
                       ") of dimension ", dimension, " on rank ", grid.rank(thin),
                       "; use fewer parts along it or a narrower halo");
    }
}

}  // namespace

Route halo(int rank, int ranks, const BlockGrid& grid, Corners corners) {
    layout::require(grid.ranks().highest() < ranks, "the layout puts a part on rank ",
                    grid.ranks().highest(), ", but there are ", ranks,
                    " ranks; use fewer parts or more ranks");
    bool has_halo = false;
    for (int dimension = 0; dimension < grid.dimensions(); ++dimension) {
        check_thinnest(grid, dimension);
        has_halo |= grid.halo(dimension).low > 0 || grid.halo(dimension).high > 0;
    }
    layout::require(has_halo,
                    "the grid has no halo, so nothing would move; make it with halo=, which gives "
                    "the cells below and above a block of each dimension");
    const std::int64_t units = grid.units(rank);
    return {rank,
            ranks,
            units,
            units,
            legs(grid, rank, Direction::sending, corners),
            legs(grid, rank, Direction::receiving, corners)};
}

}  // namespace transrank::route
