// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/plan_scaling/planned.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "transrank/route/redistribution.hpp"

namespace transrank::lab::study::plan_scaling {
namespace {

using layout::Distribution;
using Parts = std::array<int, 3>;

/// Factors of `ranks`, as even as possible; 1 beyond the divided dimensions.
Parts even_parts(int divided, int ranks) {
    Parts parts{1, 1, 1};
    for (int d = 0; d < divided; ++d) {
        const int left = divided - d;
        int best = 1;
        for (int factor = 1; factor <= ranks; ++factor) {
            double power = 1;
            for (int i = 0; i < left; ++i) {
                power *= factor;
            }
            if (power > ranks) {
                break;
            }
            best = ranks % factor == 0 ? factor : best;
        }
        parts[static_cast<std::size_t>(d)] = best;
        ranks /= best;
    }
    return parts;
}

/// Another partition of as many ranks: dimensions change places; where that changes nothing, the
/// first is divided less and the last more.
Parts other_parts(const Parts& parts, int divided) {
    Parts other = parts;
    std::reverse(other.begin(), other.begin() + divided);
    if (other == parts && parts[0] % 2 == 0) {
        other[0] /= 2;
        other[static_cast<std::size_t>(divided - 1)] *= 2;
    }
    return other;
}

/// Every second boundary lies a fifth of a block lower than it would between even blocks.
std::vector<std::int64_t> irregular(std::int64_t extent, int parts) {
    const auto even = Distribution::even(extent, parts);
    std::vector<std::int64_t> boundaries(static_cast<std::size_t>(parts) + 1);
    for (int part = 0; part < parts; ++part) {
        const auto range = even.range(part);
        boundaries[static_cast<std::size_t>(part)] =
            range.begin - (part % 2 == 1 ? range.length() / 5 : 0);
    }
    boundaries.back() = extent;
    return boundaries;
}

std::int64_t bytes_of_legs(std::span<const route::Leg> legs) {
    std::int64_t bytes = 0;
    for (const auto& leg : legs) {
        bytes += static_cast<std::int64_t>(sizeof(leg) + (leg.segments.memory_bytes()));
    }
    return bytes;
}

}  // namespace

Planned::Planned(int divided, Blocks blocks, int ranks)
    : blocks_(blocks),
      ranks_(ranks),
      source_(even_parts(divided, ranks)),
      destination_(other_parts(source_, divided)) {
    for (std::size_t d = 0; d < extents_.size(); ++d) {
        extents_[d] = block_extent * source_[d];
    }
    source_tables_ = tables_for(source_);
    destination_tables_ = tables_for(destination_);
}

Planned::Tables Planned::tables_for(const Parts& parts) const {
    Tables tables;
    for (std::size_t d = 0; d < parts.size(); ++d) {
        if (blocks_ == Blocks::irregular && parts[d] > 1) {
            tables[d] = irregular(extents_[d], parts[d]);
        }
    }
    return tables;
}

layout::BlockGrid Planned::layout_of(const Parts& parts, const Tables& tables) const {
    std::vector<Distribution> distributions;
    for (std::size_t d = 0; d < parts.size(); ++d) {
        distributions.push_back(tables[d].empty() ? Distribution::even(extents_[d], parts[d])
                                                  : Distribution::irregular(tables[d]));
    }
    return layout::BlockGrid(std::move(distributions), {.part_order = layout::Order::first_fastest,
                                                        .memory_order = {0, 1, 2},
                                                        .halo = {},
                                                        .ranks = {}});
}

Planned::Layouts Planned::layouts() const {
    return {.source = layout_of(source_, source_tables_),
            .destination = layout_of(destination_, destination_tables_)};
}

route::Route Planned::store(int rank) const {
    const auto [source, destination] = layouts();
    return route::redistribution(rank, ranks_, source, destination);
}

std::int64_t Planned::store_all() const {
    const auto [source, destination] = layouts();
    std::int64_t moved = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
        const auto route = route::redistribution(rank, ranks_, source, destination);
        for (const auto& leg : route.sends()) {
            moved += leg.peer == rank ? 0 : leg.units();
        }
    }
    return moved;
}

std::int64_t Planned::table_bytes() const noexcept {
    std::size_t entries = 0;
    for (const auto* tables : {&source_tables_, &destination_tables_}) {
        for (const auto& table : *tables) {
            entries += table.size();
        }
    }
    return static_cast<std::int64_t>(entries * sizeof(std::int64_t));
}

std::int64_t bytes_of(const route::Route& route) noexcept {
    return static_cast<std::int64_t>(sizeof(route)) + bytes_of_legs(route.sends()) +
           bytes_of_legs(route.receives());
}

}  // namespace transrank::lab::study::plan_scaling
