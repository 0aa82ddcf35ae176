// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/route.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "sequences.hpp"
#include "stub.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/route/consistency.hpp"
#include "transrank/route/file.hpp"
#include "transrank/route/file_format.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using layout::BlockGrid;
using route::Leg;
using route::Loop;
using route::Route;
using route::Segment;

// Of a segment, in the order of their declaration, and of each further loop.
constexpr std::size_t fields = 6;
constexpr std::size_t fields_of_loop = 3;
using SegmentTable =
    nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu, nb::ro>;

Leg make_leg(int peer, const SegmentTable& table) {
    const std::size_t columns = table.shape(1);
    layout::require(columns >= fields && (columns - fields) % fields_of_loop == 0, "segments have ",
                    columns, " columns; give 6, and 3 more for each further loop");
    Leg leg{.peer = peer, .segments = {}};
    for (std::size_t row = 0; row < table.shape(0); ++row) {
        const std::span values(table.data() + (row * columns), columns);
        Segment segment{.source = values[0],
                        .destination = values[1],
                        .length = values[2],
                        .count = values[3],
                        .source_stride = values[4],
                        .destination_stride = values[5]};
        for (std::size_t at = fields; at < columns; at += fields_of_loop) {
            const Loop loop{.count = values[at],
                            .source_stride = values[at + 1],
                            .destination_stride = values[at + 2]};
            if (loop != Loop{}) {
                segment.further.push_back(loop);
            }
        }
        leg.segments.push_back(segment);
    }
    return leg;
}

nb::ndarray<nb::numpy, std::int64_t> segment_table(const Leg& leg) {
    std::size_t loops = 0;
    for (const Segment& segment : leg.segments) {
        loops = std::max(loops, segment.further.size());
    }
    const std::size_t columns = fields + (loops * fields_of_loop);
    std::vector<std::int64_t> values;
    values.reserve(leg.segments.size() * columns);
    for (const Segment& segment : leg.segments) {
        values.insert(values.end(),
                      {segment.source, segment.destination, segment.length, segment.count,
                       segment.source_stride, segment.destination_stride});
        for (std::size_t i = 0; i < loops; ++i) {
            const auto loop = i < segment.further.size() ? segment.further[i] : Loop{};
            values.insert(values.end(), {loop.count, loop.source_stride, loop.destination_stride});
        }
    }
    return to_numpy(std::move(values), columns);
}

std::vector<Leg> copy(std::span<const Leg> legs) {
    return {legs.begin(), legs.end()};
}

nb::object as_tuple(const route::Shape& shape) {
    return shape.empty() ? nb::none() : nb::object(nb::tuple(nb::cast(shape)));
}

std::string describe(const Route& route) {
    return "<Route of rank " + std::to_string(route.rank()) + " of " +
           std::to_string(route.ranks()) + ": " + std::to_string(route.sends().size()) +
           " legs sent, " + std::to_string(route.receives().size()) + " received>";
}

Route decoded(const nb::bytes& file) {
    const std::string name = "a pickled Route";
    route::Words words(
        std::max(file.size() / sizeof(std::uint64_t), std::tuple_size_v<route::Head>));
    std::memcpy(words.data(), file.data(),
                std::min(file.size(), words.size() * sizeof(std::uint64_t)));
    route::Head head{};
    std::copy_n(words.begin(), head.size(), head.begin());
    route::check_head(head, file.size(), name);
    return route::decode(words, name);
}

void bind_leg(const nb::module_& module) {
    nb::class_<Leg>(module, "Leg", stub_says("Leg"))
        .def(
            "__init__",
            [](Leg* self, int peer, const SegmentTable& segments) {
                new (self) Leg(make_leg(peer, segments));
            },
            "peer"_a, "segments"_a.noconvert())
        .def_ro("peer", &Leg::peer, stub_says("Leg.peer"))
        .def_prop_ro("segments", &segment_table, nb::rv_policy::move, stub_says("Leg.segments"))
        .def_prop_ro("units", &Leg::units, stub_says("Leg.units"))
        .def_prop_ro("runs", &Leg::runs, stub_says("Leg.runs"))
        .def_prop_ro("checksum", &route::checksum, stub_says("Leg.checksum"))
        .def("__reduce__",
             [](const Leg& self) {
                 return nb::make_tuple(nb::type<Leg>(),
                                       nb::make_tuple(self.peer, segment_table(self)));
             })
        .def("__hash__", [](const Leg& self) { return route::checksum(self) >> 1U; })
        .def(nb::self == nb::self);  // NOLINT(misc-redundant-expression): declares __eq__
}

void bind_route_class(const nb::module_& module) {
    nb::class_<Route>(module, "Route", stub_says("Route"))
        .def(
            "__init__",
            [](Route* self, int rank, int ranks, std::int64_t source_extent,
               std::int64_t destination_extent, nb::handle sends, nb::handle receives) {
                new (self) Route(rank, ranks, source_extent, destination_extent, each<Leg>(sends),
                                 each<Leg>(receives));
            },
            "rank"_a, "ranks"_a, "source_extent"_a, "destination_extent"_a, "sends"_a, "receives"_a)
        .def_prop_ro("rank", &Route::rank, stub_says("Route.rank"))
        .def_prop_ro("ranks", &Route::ranks, stub_says("Route.ranks"))
        .def_prop_ro("source_extent", &Route::source_extent, stub_says("Route.source_extent"))
        .def_prop_ro("destination_extent", &Route::destination_extent,
                     stub_says("Route.destination_extent"))
        .def_prop_ro(
            "source_shape", [](const Route& self) { return as_tuple(self.shapes().source); },
            stub_says("Route.source_shape"))
        .def_prop_ro(
            "destination_shape",
            [](const Route& self) { return as_tuple(self.shapes().destination); },
            stub_says("Route.destination_shape"))
        .def_prop_ro(
            "sends", [](const Route& self) { return copy(self.sends()); }, stub_says("Route.sends"))
        .def_prop_ro(
            "receives", [](const Route& self) { return copy(self.receives()); },
            stub_says("Route.receives"))
        .def("transposed", &Route::transposed, stub_says("Route.transposed"))
        .def(
            "save", [](const Route& self, nb::handle path) { route::save(self, path_of(path)); },
            "path"_a, stub_says("Route.save"))
        .def_static(
            "load", [](nb::handle path) { return route::load(path_of(path)); }, "path"_a,
            stub_says("Route.load"))
        .def("check_delivered_once", &route::check_delivered_once,
             stub_says("Route.check_delivered_once"))
        .def("check_all_delivered_once", &route::check_all_delivered_once, "units"_a,
             stub_says("Route.check_all_delivered_once"))
        .def_static("_decoded", &decoded)
        .def("__reduce__",
             [](const Route& self) {
                 const auto words = route::encode(self);
                 return made_by<Route>(nb::make_tuple(
                     "_decoded", nb::bytes(words.data(), words.size() * sizeof(words[0]))));
             })
        .def("__hash__", [](const Route& self) { return route::encode(self).back() >> 1U; })
        .def("__repr__", &describe)
        .def(nb::self == nb::self);  // NOLINT(misc-redundant-expression): declares __eq__
}

void bind_functions(nb::module_& module) {
    module.def(
        "redistribution",
        [](int rank, int ranks, const BlockGrid& source, const BlockGrid& destination,
           bool fill_halo) {
            return route::redistribution(
                rank, ranks, source, destination,
                fill_halo ? route::Coverage::owned_and_halo : route::Coverage::owned);
        },
        "rank"_a, "ranks"_a, "source"_a, "destination"_a, "fill_halo"_a = false);
    module.def(
        "halo",
        [](int rank, int ranks, const BlockGrid& grid, bool corners) {
            return route::halo(rank, ranks, grid,
                               corners ? route::Corners::included : route::Corners::left_out);
        },
        "rank"_a, "ranks"_a, "grid"_a, "corners"_a = true);
    module.def("alltoall", &route::alltoall, "rank"_a, "ranks"_a, "units"_a);
    module.def(
        "check_consistent", [](nb::handle routes) { route::check_consistent(each<Route>(routes)); },
        "routes"_a);
}

}  // namespace

void bind_route(nb::module_& module) {
    [[maybe_unused]] const nb::exception<route::FileError> error(module, "RouteFileError",
                                                                 PyExc_OSError);
    bind_leg(module);
    bind_route_class(module);
    bind_functions(module);
}

}  // namespace transrank::bindings
