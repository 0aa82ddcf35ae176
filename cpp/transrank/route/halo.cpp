// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/halo.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "transrank/layout/require.hpp"

namespace transrank::route {
namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::Halo;
using layout::PerDimension;

/// Where cells of a local array lie along one dimension, in ascending order.
enum class Zone : std::uint8_t { low, inside, high };
constexpr std::size_t zones = 3;

/// The cells along one dimension that fill one zone of the receiver: positions in the local arrays
/// of two neighbors.
struct Slab {
    static constexpr int nobody = -1;

    int peer = nobody;  ///< the other part's coordinate
    std::int64_t source = 0;
    std::int64_t destination = 0;
    std::int64_t length = 0;
};

/// One slab per zone; where nothing arrives the peer is `nobody`.
using Slabs = std::array<Slab, zones>;

const Slab& slab_of(const Slabs& slabs, Zone zone) {
    return slabs[static_cast<std::size_t>(zone)];
}

/// The part that owns the cell next to the low or high end of a part's range.
int owner_beyond(const Distribution& distribution, const Halo& halo, std::int64_t cell) {
    const std::int64_t extent = distribution.extent();
    if (cell >= 0 && cell < extent) {
        return distribution.stretch(cell).part;
    }
    if (!halo.periodic) {
        return Slab::nobody;
    }
    return distribution.stretch(cell < 0 ? extent - 1 : 0).part;
}

/// The last owned cells of `source`, as many as the halo is wide.
Slab into_low(const Distribution& distribution, const Halo& halo, int peer, int source) {
    return {.peer = peer,
            .source = distribution.owned(source),  // halo.low + owned - halo.low
            .destination = 0,
            .length = halo.low};
}

/// The first owned cells of a part.
Slab into_high(const Distribution& distribution, const Halo& halo, int peer, int destination) {
    return {.peer = peer,
            .source = halo.low,
            .destination = halo.low + distribution.owned(destination),
            .length = halo.high};
}

/// What a part receives into its own zones, or sends into those of its neighbors. The part and its
/// neighbors must be at least as thick as the halo.
Slabs halo_slabs(const Distribution& distribution, const Halo& halo, int part,
                 Direction direction) {
    Slabs slabs;
    slabs[static_cast<std::size_t>(Zone::inside)] = {.peer = part,
                                                     .source = halo.low,
                                                     .destination = halo.low,
                                                     .length = distribution.owned(part)};
    if (halo.low == 0 && halo.high == 0) {
        return slabs;
    }
    const auto range = distribution.range(part);
    const int below = owner_beyond(distribution, halo, range.begin - 1);
    const int above = owner_beyond(distribution, halo, range.end);
    const bool sending = direction == Direction::sending;
    // My last cells lie in the low halo of the part above me, its first cells in my high one.
    const int low_peer = sending ? above : below;
    const int high_peer = sending ? below : above;
    if (halo.low > 0 && low_peer != Slab::nobody) {
        slabs[static_cast<std::size_t>(Zone::low)] =
            into_low(distribution, halo, low_peer, sending ? part : low_peer);
    }
    if (halo.high > 0 && high_peer != Slab::nobody) {
        slabs[static_cast<std::size_t>(Zone::high)] =
            into_high(distribution, halo, high_peer, sending ? high_peer : part);
    }
    return slabs;
}

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
        Zone& zone = region[dimension];
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
            slabs_[d] = halo_slabs(grid.distribution(d), grid.halo(d), mine_[d], direction);
        }
    }

    /// Appends the leg of a region unless nothing fills it.
    void append(const Region& region, std::vector<Leg>& legs) {
        PerDimension<int> peer{};
        for (const int i : grid_.memory_order()) {
            peer[i] = slab_of(slabs_[i], region[i]).peer;
            if (peer[i] == Slab::nobody) {
                return;
            }
        }
        legs.push_back({.peer = grid_.rank(peer), .segments = {box(region, grid_.strides(peer))}});
    }

private:
    Segment box(const Region& region, const PerDimension<std::int64_t>& peer_strides) {
        const bool sending = direction_ == Direction::sending;
        const auto& source_strides = sending ? own_strides_ : peer_strides;
        const auto& destination_strides = sending ? peer_strides : own_strides_;
        Segment made{.length = 1};
        for (const int i : grid_.memory_order()) {
            const Slab& slab = slab_of(slabs_[i], region[i]);
            made.repeat({.count = slab.length,
                         .source_stride = source_strides[i],
                         .destination_stride = destination_strides[i]});
            made.source += slab.source * source_strides[i];
            made.destination += slab.destination * destination_strides[i];
        }
        return made;
    }

    const BlockGrid& grid_;
    PerDimension<int> mine_;
    Direction direction_;
    PerDimension<std::int64_t> own_strides_{};
    PerDimension<Slabs> slabs_{};
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
            joined.back().segments.append(legs[i].segments);
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
        thin[dimension] = part;
        layout::refuse("halo width (", width, ") exceeds the owned extent (", length,
                       ") of dimension ", layout::counted(dimension), " on rank ", grid.rank(thin),
                       "; use fewer parts along it or a narrower halo");
    }
}

}  // namespace

Route halo(int rank, int ranks, const BlockGrid& grid, Corners corners) {
    layout::require(grid.ranks().highest() < ranks, "the layout puts a part on rank ",
                    grid.ranks().highest(), ", but there are ", ranks,
                    " ranks; use fewer parts or more ranks");
    for (int dimension = 0; dimension < grid.dimensions(); ++dimension) {
        check_thinnest(grid, dimension);
    }
    layout::require(grid.has_halo(),
                    "the grid has no halo, so nothing would move; make it with halo=, which gives "
                    "the cells before and after a block along each dimension");
    const std::int64_t units = grid.units(rank);
    return {rank,
            ranks,
            units,
            units,
            legs(grid, rank, Direction::sending, corners),
            legs(grid, rank, Direction::receiving, corners),
            {.source = grid.shape(rank), .destination = grid.shape(rank)}};
}

}  // namespace transrank::route
