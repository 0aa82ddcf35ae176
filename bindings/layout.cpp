// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "named.hpp"
#include "sequences.hpp"
#include "stub.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/rank_map.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/layout/rows.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {

layout::Order order_named(std::string_view name) {
    layout::require(name == "C" || name == "F", "unknown order '", name,
                    "'; known: C (the last dimension is the fastest), F (the first one is)");
    return name == "F" ? layout::Order::first_fastest : layout::Order::last_fastest;
}

namespace {

using layout::BlockGrid;
using layout::Distribution;
using layout::Rows;
using HaloTuple = std::tuple<std::int64_t, std::int64_t, nb::object>;

void check_part(const Distribution& distribution, int part) {
    layout::require(part >= 0 && part < distribution.parts(), "part ", part,
                    " is out of range [0, ", distribution.parts(), ")");
}

template <class Value>
nb::tuple tuple_of(int count, const Value& value) {
    nb::list made;
    for (int number = 0; number < count; ++number) {
        made.append(value(number));
    }
    return nb::tuple(made);
}

/// The static method that makes a distribution, and its arguments.
nb::tuple call_of(const Distribution& self) {
    if (!self.has_table()) {
        return self.block() == 0 ? nb::make_tuple("even", self.extent(), self.parts())
                                 : nb::make_tuple("block_cyclic", self.extent(), self.parts(),
                                                  self.block(), self.first_part());
    }
    const auto boundary = [&](int part) { return part == 0 ? 0 : self.range(part - 1).end; };
    return nb::make_tuple("irregular", tuple_of(self.parts() + 1, boundary));
}

void bind_distribution(const nb::module_& module) {
    nb::class_<Distribution> bound(module, "Distribution", stub_says("Distribution"));
    bound
        .def_static("even", &Distribution::even, "extent"_a, "parts"_a,
                    stub_says("Distribution.even"))
        .def_static(
            "irregular",
            [](nb::handle boundaries) {
                return Distribution::irregular(as_vector("the list of boundaries", boundaries));
            },
            "boundaries"_a.none(), stub_says("Distribution.irregular"))
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
            "index"_a, stub_says("Distribution.owner"))
        .def("__reduce__",
             [](const Distribution& self) { return made_by<Distribution>(call_of(self)); });
    bind_comparison(bound, call_of);
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
    return bindings::each<T>(values, [&] { refuse_type(name, values, wanted); });
}

BlockGrid make_grid(nb::handle distributions, std::string_view part_order, nb::handle memory_order,
                    nb::handle halo, nb::handle ranks) {
    layout::GridOptions options{
        .part_order = order_named(part_order),
        .memory_order = each<int>("memory_order", memory_order,
                                  "the numbers of the dimensions, the fastest in memory first"),
        .halo = {},
        .ranks = {}};
    for (const auto& [low, high, periodic] : each<HaloTuple>(
             "halo", halo,
             "a tuple for each dimension, of the cells before a block, those after it "
             "and whether the grid is periodic, such as [(1, 1, True), (1, 1, False)]")) {
        const auto name = "halo[" + std::to_string(options.halo.size()) + "][2]";
        options.halo.push_back({.low = low, .high = high, .periodic = as_flag(name, periodic)});
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

std::string describe(const BlockGrid& self) {
    std::string text = "<BlockGrid";
    const char* before = ": ";
    for (const auto& words : self.words()) {
        text += before + words;
        before = "; ";
    }
    return text + ">";
}

nb::tuple distributions_of(const BlockGrid& self) {
    return tuple_of(self.dimensions(), [&](int d) { return nb::cast(self.distribution(d)); });
}

nb::tuple memory_order_of(const BlockGrid& self) {
    return tuple_of(self.dimensions(),
                    [&](int d) { return self.memory_order()[static_cast<std::size_t>(d)]; });
}

/// What BlockGrid takes besides the distributions.
nb::dict options_of(const BlockGrid& self) {
    nb::dict made;
    made["part_order"] = self.part_order() == layout::Order::first_fastest ? "F" : "C";
    made["memory_order"] = memory_order_of(self);
    made["halo"] = tuple_of(self.has_halo() ? self.dimensions() : 0, [&](int d) {
        const auto& [low, high, periodic] = self.halo(d);
        return nb::make_tuple(low, high, periodic);
    });
    made["ranks"] = nb::none();
    for (int part = 0; self.ranks().is_listed() && part < self.ranks().parts(); ++part) {
        if (self.ranks().rank(part) != part) {
            made["ranks"] =
                tuple_of(self.ranks().parts(), [&](int each) { return self.ranks().rank(each); });
            break;
        }
    }
    return made;
}

void bind_block_grid(const nb::module_& module) {
    nb::class_<BlockGrid> bound(module, "BlockGrid", stub_says("BlockGrid"));
    bound
        .def(
            "__init__",
            [](BlockGrid* self, nb::handle distributions, std::string_view part_order,
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
                return tuple_of(self.dimensions(),
                                [&](int d) { return self.distribution(d).extent(); });
            },
            stub_says("BlockGrid.extents"))
        .def_prop_ro("memory_order", &memory_order_of, stub_says("BlockGrid.memory_order"))
        .def("words", &BlockGrid::words, stub_says("BlockGrid.words"))
        .def("__repr__", &describe)
        .def("units", &BlockGrid::units, "rank"_a, stub_says("BlockGrid.units"))
        .def(
            "local_extents",
            [](const BlockGrid& self, int rank) {
                const auto extents = self.local_extents(rank);
                return tuple_of(self.dimensions(), [&](int d) { return extents[d]; });
            },
            "rank"_a, stub_says("BlockGrid.local_extents"))
        .def(
            "box",
            [](const BlockGrid& self, int rank) {
                const auto box = self.box(rank);
                return tuple_of(self.dimensions(),
                                [&](int d) { return nb::slice(box[d].begin, box[d].end); });
            },
            "rank"_a, stub_says("BlockGrid.box"))
        .def(
            "coordinates",
            [](const BlockGrid& self, int rank) -> std::optional<nb::tuple> {
                const int part = self.ranks().part(rank);
                if (part < 0) {
                    return std::nullopt;
                }
                const auto coordinates = self.coordinates(part);
                return tuple_of(self.dimensions(), [&](int d) { return coordinates[d]; });
            },
            "rank"_a, stub_says("BlockGrid.coordinates"))
        .def(
            "__reduce__",
            [](const BlockGrid& self) {
                const auto make = nb::module_::import_("functools")
                                      .attr("partial")(nb::type<BlockGrid>(), **options_of(self));
                return nb::make_tuple(make, nb::make_tuple(distributions_of(self)));
            },
            stub_says("BlockGrid.__reduce__"));
    bind_comparison(bound, [](const BlockGrid& self) {
        return nb::make_tuple(distributions_of(self), nb::tuple(options_of(self).values()));
    });
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
            [](nb::handle lengths, std::int64_t bound, std::int64_t alignment) {
                return Rows::bounded(as_vector("the list of lengths", lengths), bound, alignment);
            },
            "lengths"_a.none(), "bound"_a, "alignment"_a = 1, stub_says("Rows.bounded"))
        .def_static(
            "variable",
            [](nb::handle lengths, std::int64_t alignment) {
                return Rows::variable(as_vector("the list of lengths", lengths), alignment);
            },
            "lengths"_a.none(), "alignment"_a = 1, stub_says("Rows.variable"))
        .def_static(
            "from_offsets",
            [](nb::handle offsets) {
                return Rows::from_offsets(as_vector("the list of offsets", offsets));
            },
            "offsets"_a.none(), stub_says("Rows.from_offsets"))
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
