// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "order.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/rank_map.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/layout/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {

layout::Order order_named(const std::string& name) {
    layout::require(name == "C" || name == "F", "unknown order '", name,
                    "'; known: C (the last dimension is the fastest), F (the first one is)");
    return name == "F" ? layout::Order::first_fastest : layout::Order::last_fastest;
}

namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::Rows;
using HaloTuple = std::tuple<std::int64_t, std::int64_t, bool>;

void check_part(const Distribution& distribution, int part) {
    layout::require(part >= 0 && part < distribution.parts(), "part ", part, " is none of the ",
                    distribution.parts(), " parts");
}

void bind_distribution(const nb::module_& module) {
    nb::class_<Distribution>(module, "Distribution",
                             "Which part owns which indices of one dimension; immutable.")
        .def_static("even", &Distribution::even, "extent"_a, "parts"_a)
        .def_static(
            "irregular",
            [](const Integers& boundaries) {
                return Distribution::irregular(as_vector(boundaries));
            },
            "boundaries"_a.noconvert())
        .def_static("block_cyclic", &Distribution::block_cyclic, "extent"_a, "parts"_a, "block"_a,
                    "first_part"_a = 0)
        .def_prop_ro("extent", &Distribution::extent)
        .def_prop_ro("parts", &Distribution::parts)
        .def_prop_ro("is_contiguous", &Distribution::is_contiguous)
        .def(
            "owned",
            [](const Distribution& self, int part) {
                check_part(self, part);
                return self.owned(part);
            },
            "part"_a)
        .def(
            "ranges",
            [](const Distribution& self, int part) {
                check_part(self, part);
                std::vector<std::int64_t> bounds;
                for (std::int64_t number = 0; number < self.ranges(part); ++number) {
                    const auto range = self.range(part, number);
                    bounds.insert(bounds.end(), {range.begin, range.end});
                }
                return to_numpy(std::move(bounds), 2);
            },
            "part"_a)
        .def(
            "owner",
            [](const Distribution& self, std::int64_t index) {
                layout::require(index >= 0 && index < self.extent(), "index ", index,
                                " is not in [0, ", self.extent(), ")");
                const auto stretch = self.stretch(index);
                return std::tuple(stretch.part, stretch.position + (index - stretch.range.begin));
            },
            "index"_a);
}

BlockGrid make_grid(std::vector<Distribution> distributions, const std::string& part_order,
                    std::vector<int> memory_order, const std::vector<HaloTuple>& halo,
                    std::optional<std::vector<int>> ranks) {
    layout::GridOptions options{.part_order = order_named(part_order),
                                .memory_order = std::move(memory_order),
                                .halo = {},
                                .ranks = {}};
    for (const auto& [low, high, periodic] : halo) {
        options.halo.push_back({.low = low, .high = high, .periodic = periodic});
    }
    if (ranks) {
        options.ranks = layout::RankMap::listed(std::move(*ranks));
    }
    return BlockGrid(std::move(distributions), std::move(options));
}

nb::tuple first_values(const layout::PerDimension<std::int64_t>& values, int dimensions) {
    nb::list made;
    for (int d = 0; d < dimensions; ++d) {
        made.append(values[static_cast<std::size_t>(d)]);
    }
    return nb::tuple(made);
}

void bind_block_grid(const nb::module_& module) {
    nb::class_<BlockGrid>(module, "BlockGrid",
                          "A grid of 1 to 6 dimensions, each divided by itself; immutable.")
        .def(
            "__init__",
            [](BlockGrid* self, std::vector<Distribution> distributions,
               const std::string& part_order, std::vector<int> memory_order,
               const std::vector<HaloTuple>& halo, std::optional<std::vector<int>> ranks) {
                new (self) BlockGrid(make_grid(std::move(distributions), part_order,
                                               std::move(memory_order), halo, std::move(ranks)));
            },
            "distributions"_a, nb::kw_only(), "part_order"_a = "C",
            "memory_order"_a = std::vector<int>(), "halo"_a = std::vector<HaloTuple>(),
            "ranks"_a = nb::none())
        .def_prop_ro("dimensions", &BlockGrid::dimensions)
        .def_prop_ro("extents",
                     [](const BlockGrid& self) {
                         nb::list made;
                         for (int d = 0; d < self.dimensions(); ++d) {
                             made.append(self.distribution(d).extent());
                         }
                         return nb::tuple(made);
                     })
        .def_prop_ro("memory_order",
                     [](const BlockGrid& self) {
                         nb::list made;
                         for (const int dimension : self.memory_order()) {
                             made.append(dimension);
                         }
                         return nb::tuple(made);
                     })
        .def("units", &BlockGrid::units, "rank"_a)
        .def(
            "local_extents",
            [](const BlockGrid& self, int rank) {
                return first_values(self.local_extents(rank), self.dimensions());
            },
            "rank"_a)
        .def(
            "coordinates",
            [](const BlockGrid& self, int rank) -> std::optional<nb::tuple> {
                const int part = self.ranks().part(rank);
                if (part < 0) {
                    return std::nullopt;
                }
                nb::list made;
                const auto coordinates = self.coordinates(part);
                for (int d = 0; d < self.dimensions(); ++d) {
                    made.append(coordinates[static_cast<std::size_t>(d)]);
                }
                return nb::tuple(made);
            },
            "rank"_a);
}

void check_row(const Rows& rows, std::int64_t row) {
    layout::require(row >= 0 && row < rows.rows(), "row ", row, " is none of the ", rows.rows(),
                    " rows");
}

void bind_rows(const nb::module_& module) {
    nb::class_<Rows>(module, "Rows",
                     "Where the rows of one rank lie in its flat array of units; immutable.")
        .def_static("fixed", &Rows::fixed, "rows"_a, "length"_a, "alignment"_a = 1)
        .def_static(
            "bounded",
            [](const Integers& lengths, std::int64_t bound, std::int64_t alignment) {
                return Rows::bounded(as_vector(lengths), bound, alignment);
            },
            "lengths"_a.noconvert(), "bound"_a, "alignment"_a = 1)
        .def_static(
            "variable",
            [](const Integers& lengths, std::int64_t alignment) {
                return Rows::variable(as_vector(lengths), alignment);
            },
            "lengths"_a.noconvert(), "alignment"_a = 1)
        .def_static(
            "from_offsets",
            [](const Integers& offsets) { return Rows::from_offsets(as_vector(offsets)); },
            "offsets"_a.noconvert())
        .def_prop_ro("rows", &Rows::rows)
        .def_prop_ro("units", &Rows::units)
        .def_prop_ro("pitch", &Rows::pitch)
        .def_prop_ro("is_fixed", &Rows::is_fixed)
        .def(
            "begin",
            [](const Rows& self, std::int64_t row) {
                check_row(self, row);
                return self.begin(row);
            },
            "row"_a)
        .def(
            "length",
            [](const Rows& self, std::int64_t row) {
                check_row(self, row);
                return self.length(row);
            },
            "row"_a);
}

}  // namespace

void bind_layout(const nb::module_& module) {
    bind_distribution(module);
    bind_block_grid(module);
    bind_rows(module);
}

}  // namespace transrank::bindings
