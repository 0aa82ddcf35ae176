// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "c/calls.hpp"

using namespace transrank;
using namespace transrank::c;

namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::require;
using redistribution::Points;

layout::GridOptions options_of(const Arguments& arguments, int dimensions, std::int64_t parts,
                               const transrank_grid_options* given) {
    layout::GridOptions options;
    if (given == nullptr) {
        return options;
    }
    options.part_order =
        arguments.choice(given->part_order, layout::Order::first_fastest, "part order");
    if (given->memory_order != nullptr) {
        options.memory_order.assign(given->memory_order, given->memory_order + dimensions);
    }
    for (int d = 0; given->halo != nullptr && d < dimensions; ++d) {
        const auto& halo = given->halo[d];
        options.halo.push_back(
            {.low = halo.low, .high = halo.high, .periodic = halo.periodic != 0});
    }
    if (given->ranks != nullptr) {
        options.ranks =
            layout::RankMap::listed(std::vector<int>(given->ranks, given->ranks + parts));
    }
    return options;
}

BlockGrid make_grid(const Arguments& arguments, int dimensions,
                    const transrank_distribution* const* given,
                    const transrank_grid_options* options) {
    require(dimensions >= 1 && dimensions <= layout::max_dimensions, "a grid of ", dimensions,
            " dimensions is asked for; it has 1 to ", layout::max_dimensions);
    std::vector<Distribution> distributions;
    std::int64_t parts = 1;
    for (const auto* each : arguments.list(dimensions, given, "the distributions")) {
        distributions.push_back(arguments.object(each));
        require(!__builtin_mul_overflow(parts, std::int64_t{distributions.back().parts()}, &parts),
                "the grid has more parts than 64 bits can count");
    }
    return BlockGrid(std::move(distributions), options_of(arguments, dimensions, parts, options));
}

const BlockGrid& grid_of(const Arguments& arguments, const transrank_layout* given) {
    const auto* grid = std::get_if<BlockGrid>(&arguments.object(given));
    require(grid != nullptr, "the layout is a list of points; give a grid");
    return *grid;
}

void check_part(const Distribution& distribution, int part) {
    require(part >= 0 && part < distribution.parts(), "part ", part, " is out of range [0, ",
            distribution.parts(), ")");
}

}  // namespace

int transrank_distribution_even(int64_t extent, int parts, transrank_distribution** distribution) {
    return create(distribution,
                  [&](const Arguments&) { return Distribution::even(extent, parts); });
}

int transrank_distribution_irregular(int parts, const int64_t* boundaries,
                                     transrank_distribution** distribution) {
    return create(distribution, [&](const Arguments& arguments) {
        require(parts >= 1, parts, " parts are asked for; give 1 or more");
        const auto given = arguments.list(std::int64_t{parts} + 1, boundaries, "the boundaries");
        return Distribution::irregular({given.begin(), given.end()});
    });
}

int transrank_distribution_block_cyclic(int64_t extent, int parts, int64_t block, int first_part,
                                        transrank_distribution** distribution) {
    return create(distribution, [&](const Arguments&) {
        return Distribution::block_cyclic(extent, parts, block, first_part);
    });
}

int transrank_distribution_owned(const transrank_distribution* distribution, int part,
                                 int64_t* count) {
    return attempt([&] {
        const auto& object = Arguments().object(distribution);
        check_part(object, part);
        *Arguments().pointer(count, "the place of the count") = object.owned(part);
    });
}

int transrank_distribution_owner(const transrank_distribution* distribution, int64_t index,
                                 int* part, int64_t* position) {
    return attempt([&] {
        const auto& object = Arguments().object(distribution);
        require(index >= 0 && index < object.extent(), "index ", layout::counted(index),
                " is out of range ", layout::indices(0, object.extent()));
        const auto stretch = object.stretch(index);
        *Arguments().pointer(part, "the place of the part") = stretch.part;
        *Arguments().pointer(position, "the place of the position") =
            stretch.position + (index - stretch.range.begin);
    });
}

int transrank_layout_grid(int dimensions, const transrank_distribution* const* distributions,
                          const transrank_grid_options* options, transrank_layout** layout) {
    return create(layout, [&](const Arguments& arguments) {
        return make_grid(arguments, dimensions, distributions, options);
    });
}

int transrank_layout_points(int64_t count, const int64_t* cells, int numbering,
                            transrank_layout** layout) {
    return create(layout, [&](const Arguments& arguments) {
        const auto given = arguments.list(count, cells, "the cells");
        return Points{
            .cells = {given.begin(), given.end()},
            .numbering = arguments.choice(numbering, layout::Order::first_fastest, "numbering")};
    });
}

int transrank_layout_box(const transrank_layout* layout, int rank, int64_t* begin, int64_t* end) {
    return attempt([&] {
        const Arguments arguments;
        const auto& grid = grid_of(arguments, layout);
        const auto box = grid.box(rank);
        for (int d = 0; d < grid.dimensions(); ++d) {
            arguments.pointer(begin, "the place of the beginnings")[d] = box[d].begin;
            arguments.pointer(end, "the place of the ends")[d] = box[d].end;
        }
    });
}

int transrank_layout_local(const transrank_layout* layout, int rank, int64_t* extents,
                           int64_t* strides, int64_t* units) {
    return attempt([&] {
        const auto& grid = grid_of(Arguments(), layout);
        const auto all = grid.units(rank);
        const auto dimensions = static_cast<std::size_t>(grid.dimensions());
        if (extents != nullptr) {
            std::copy_n(grid.local_extents(rank).begin(), dimensions, extents);
        }
        if (strides != nullptr) {
            layout::PerDimension<std::int64_t> between{};
            if (all > 0) {
                between = grid.strides(grid.coordinates(grid.ranks().part(rank)));
            }
            std::copy_n(between.begin(), dimensions, strides);
        }
        tell(units, all);
    });
}
