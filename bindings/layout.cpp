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
#include "stub.hpp"
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
    layout::require(part >= 0 && part < distribution.parts(), "part ", part,
                    " is out of range [0, ", distribution.parts(), ")");
}

void bind_distribution(const nb::module_& module) {
    nb::class_<Distribution>(module, "Distribution", stub_says("Distribution"))
        .def_static("even", &Distribution::even, "extent"_a, "parts"_a,
                    stub_says("Distribution.even"))
        .def_static(
            "irregular",
            [](const Integers& boundaries) {
                return Distribution::irregular(as_vector(boundaries));
            },
            "boundaries"_a.noconvert(), stub_says("Distribution.irregular"))
        .def_static("block_cyclic", &Distribution::block_cyclic, "extent"_a, "parts"_a, "block"_a,
                    "first_part"_a = 0, stub_says("Distribution.block_cyclic"))
        .def_prop_ro("extent", &Distribution::extent, stub_says("Distribution.extent"))
        .def_prop_ro("parts", &Distribution::parts, stub_says("Distribution.parts"))
        .def_prop_ro("is_contiguous", &Distribution::is_contiguous,
                     stub_says("Distribution.is_contiguous"))
        .def(
            "owned",
            [](const Distribution& self, int part) {
                check_part(self, part);
                return self.owned(part);
            },
            "part"_a, stub_says("Distribution.owned"))
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
            "part"_a, stub_says("Distribution.ranges"))
        .def(
            "owner",
            [](const Distribution& self, std::int64_t index) {
                layout::require(index >= 0 && index < self.extent(), "index ", index,
                                " is out of range [0, ", self.extent(), ")");
                const auto stretch = self.stretch(index);
                return std::tuple(stretch.part, stretch.position + (index - stretch.range.begin));
            },
            "index"_a, stub_says("Distribution.owner"));
}

[[noreturn]] void refuse_type(const char* name, nb::handle value, const char* wanted) {
    constexpr Py_ssize_t most = 80;
    const nb::str whole = nb::repr(value);
    const nb::str start(whole[nb::slice(most)]);
    const std::string shown =
        start.c_str() + std::string(static_cast<Py_ssize_t>(nb::len(whole)) > most ? "..." : "");
    throw nb::type_error((std::string(name) + " is " + shown + "; give " + wanted).c_str());
}

/// What a Python sequence holds; throws TypeError, which says what is wanted instead.
template <class T>
std::vector<T> each(const char* name, nb::handle values, const char* wanted) {
    if (PySequence_Check(values.ptr()) == 0) {
        refuse_type(name, values, wanted);
    }
    std::vector<T> made;
    for (const nb::handle value : nb::iter(values)) {
        try {
            made.push_back(nb::cast<T>(value));
        } catch (const nb::cast_error&) {
            refuse_type(name, values, wanted);
        }
    }
    return made;
}

BlockGrid make_grid(nb::handle distributions, const std::string& part_order,
                    nb::handle memory_order, nb::handle halo, nb::handle ranks) {
    layout::GridOptions options{
        .part_order = order_named(part_order),
        .memory_order = each<int>("memory_order", memory_order,
                                  "the numbers of the dimensions, the fastest in memory first"),
        .halo = {},
        .ranks = {}};
    for (const auto& [low, high, periodic] : each<HaloTuple>(
             "halo", halo,
             "a tuple for each dimension, of the cells below a block, those above it "
             "and whether the grid is periodic, such as [(1, 1, True), (1, 1, False)]")) {
        options.halo.push_back({.low = low, .high = high, .periodic = periodic});
    }
    if (!ranks.is_none()) {
        options.ranks =
            layout::RankMap::listed(each<int>("ranks", ranks, "the rank of each block"));
    }
    return BlockGrid(each<Distribution>("distributions", distributions,
                                        "a Distribution for each dimension, such as "
                                        "[Distribution.even(64, 4), Distribution.even(32, 1)]"),
                     std::move(options));
}

nb::tuple first_values(const layout::PerDimension<std::int64_t>& values, int dimensions) {
    nb::list made;
    for (int d = 0; d < dimensions; ++d) {
        made.append(values[static_cast<std::size_t>(d)]);
    }
    return nb::tuple(made);
}

void bind_block_grid(const nb::module_& module) {
    nb::class_<BlockGrid>(module, "BlockGrid", stub_says("BlockGrid"))
        .def(
            "__init__",
            [](BlockGrid* self, nb::handle distributions, const std::string& part_order,
               nb::handle memory_order, nb::handle halo, nb::handle ranks) {
                new (self)
                    BlockGrid(make_grid(distributions, part_order, memory_order, halo, ranks));
            },
            "distributions"_a, nb::kw_only(), "part_order"_a = "C",
            "memory_order"_a = nb::make_tuple(), "halo"_a = nb::make_tuple(),
            "ranks"_a = nb::none(),
            nb::sig("def __init__(self, distributions: Sequence[Distribution], *, "
                    "part_order: Literal['C', 'F'] = 'C', memory_order: Sequence[int] = (), "
                    "halo: Sequence[tuple[int, int, bool]] = (), "
                    "ranks: Sequence[int] | None = None) -> None"))
        .def_prop_ro("dimensions", &BlockGrid::dimensions, stub_says("BlockGrid.dimensions"))
        .def_prop_ro(
            "extents",
            [](const BlockGrid& self) {
                nb::list made;
                for (int d = 0; d < self.dimensions(); ++d) {
                    made.append(self.distribution(d).extent());
                }
                return nb::tuple(made);
            },
            stub_says("BlockGrid.extents"))
        .def_prop_ro(
            "memory_order",
            [](const BlockGrid& self) {
                nb::list made;
                for (const int dimension : self.memory_order()) {
                    made.append(dimension);
                }
                return nb::tuple(made);
            },
            stub_says("BlockGrid.memory_order"))
        .def("units", &BlockGrid::units, "rank"_a, stub_says("BlockGrid.units"))
        .def(
            "local_extents",
            [](const BlockGrid& self, int rank) {
                return first_values(self.local_extents(rank), self.dimensions());
            },
            "rank"_a, stub_says("BlockGrid.local_extents"))
        .def(
            "box",
            [](const BlockGrid& self, int rank) {
                nb::list made;
                const auto box = self.box(rank);
                for (int d = 0; d < self.dimensions(); ++d) {
                    const auto& range = box[static_cast<std::size_t>(d)];
                    made.append(nb::slice(range.begin, range.end));
                }
                return nb::tuple(made);
            },
            "rank"_a, stub_says("BlockGrid.box"))
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
            "rank"_a, stub_says("BlockGrid.coordinates"));
}

void check_row(const Rows& rows, std::int64_t row) {
    layout::require(row >= 0 && row < rows.rows(), "row ", row, " is out of range [0, ",
                    rows.rows(), ")");
}

void bind_rows(const nb::module_& module) {
    nb::class_<Rows>(module, "Rows", stub_says("Rows"))
        .def_static("fixed", &Rows::fixed, "rows"_a, "length"_a, "alignment"_a = 1,
                    stub_says("Rows.fixed"))
        .def_static(
            "bounded",
            [](const Integers& lengths, std::int64_t bound, std::int64_t alignment) {
                return Rows::bounded(as_vector(lengths), bound, alignment);
            },
            "lengths"_a.noconvert(), "bound"_a, "alignment"_a = 1, stub_says("Rows.bounded"))
        .def_static(
            "variable",
            [](const Integers& lengths, std::int64_t alignment) {
                return Rows::variable(as_vector(lengths), alignment);
            },
            "lengths"_a.noconvert(), "alignment"_a = 1, stub_says("Rows.variable"))
        .def_static(
            "from_offsets",
            [](const Integers& offsets) { return Rows::from_offsets(as_vector(offsets)); },
            "offsets"_a.noconvert(), stub_says("Rows.from_offsets"))
        .def_prop_ro("rows", &Rows::rows, stub_says("Rows.rows"))
        .def_prop_ro("units", &Rows::units, stub_says("Rows.units"))
        .def_prop_ro("pitch", &Rows::pitch, stub_says("Rows.pitch"))
        .def_prop_ro("is_fixed", &Rows::is_fixed, stub_says("Rows.is_fixed"))
        .def(
            "begin",
            [](const Rows& self, std::int64_t row) {
                check_row(self, row);
                return self.begin(row);
            },
            "row"_a, stub_says("Rows.begin"))
        .def(
            "length",
            [](const Rows& self, std::int64_t row) {
                check_row(self, row);
                return self.length(row);
            },
            "row"_a, stub_says("Rows.length"));
}

}  // namespace

void bind_layout(const nb::module_& module) {
    bind_distribution(module);
    bind_block_grid(module);
    bind_rows(module);
}

}  // namespace transrank::bindings
