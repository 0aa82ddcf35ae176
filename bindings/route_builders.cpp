// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "order.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/route/cell_list.hpp"
#include "transrank/route/directory.hpp"
#include "transrank/route/ghost.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"
#include "transrank/route/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using layout::BlockGrid;
using route::Leg;
using RowTuples = std::vector<std::pair<std::int64_t, std::int64_t>>;
using RunTuples = std::vector<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>>;

void bind_grids(nb::module_& module) {
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
    module.def(
        "cells_wanted",
        [](int rank, const BlockGrid& source, const Integers& cells, std::string_view numbering) {
            return route::cells_wanted(
                rank, source, {.cells = as_span(cells), .numbering = order_named(numbering)});
        },
        "rank"_a, "source"_a, "cells"_a.noconvert(), "numbering"_a = "C");
    module.def(
        "cells_offered",
        [](int rank, const Integers& cells, const BlockGrid& destination,
           std::string_view numbering) {
            return route::cells_offered(
                rank, {.cells = as_span(cells), .numbering = order_named(numbering)}, destination);
        },
        "rank"_a, "cells"_a.noconvert(), "destination"_a, "numbering"_a = "C");
}

void bind_ghosts(nb::module_& module) {
    module.def(
        "requests_by_owner",
        [](int rank, const layout::Distribution& owners, const Integers& ghosts,
           std::int64_t destination) {
            return route::requests_by_owner(rank, owners, as_span(ghosts), destination);
        },
        "rank"_a, "owners"_a, "ghosts"_a.noconvert(), "destination"_a = 0);
    module.def(
        "pushes_by_target",
        [](int rank, int ranks, std::int64_t owned, const Integers& rows,
           const Input<std::int32_t>& targets) {
            return route::pushes_by_target(rank, ranks, owned, as_span(rows), as_span(targets));
        },
        "rank"_a, "ranks"_a, "owned"_a, "rows"_a.noconvert(), "targets"_a.noconvert());
    module.def("moved", &route::moved, "leg"_a, "source"_a = 0, "destination"_a = 0);
}

void bind_alltoall(nb::module_& module) {
    module.def("alltoall", &route::alltoall, "rank"_a, "ranks"_a, "units"_a);
    module.def(
        "alltoallv",
        [](int rank, const std::tuple<Integers, Integers, Integers>& sends,
           const std::tuple<Integers, Integers, Integers>& receives) {
            const auto blocks = [](const auto& side) {
                const auto& [counts, displacements, at_peer] = side;
                return route::Blocks{.counts = as_span(counts),
                                     .displacements = as_span(displacements),
                                     .displacements_at_peer = as_span(at_peer)};
            };
            return route::alltoallv(rank, blocks(sends), blocks(receives));
        },
        "rank"_a, "sends"_a, "receives"_a);
}

std::vector<route::RowPlace> from_tuples(const RowTuples& tuples) {
    std::vector<route::RowPlace> places;
    for (const auto& [begin, length] : tuples) {
        places.push_back({.begin = begin, .length = length});
    }
    return places;
}

void bind_rows(nb::module_& module) {
    module.def(
        "row_places",
        [](const Leg& leg, const layout::Rows& rows, bool of_source) {
            RowTuples tuples;
            const auto end = of_source ? route::End::source : route::End::destination;
            for (const auto& place : route::row_places(leg, end, rows)) {
                tuples.emplace_back(place.begin, place.length);
            }
            return tuples;
        },
        "leg"_a, "rows"_a, "of_source"_a);
    module.def(
        "in_units",
        [](const Leg& leg, const RowTuples& sources, const RowTuples& destinations) {
            return route::in_units(leg, from_tuples(sources), from_tuples(destinations));
        },
        "leg"_a, "sources"_a, "destinations"_a);
}

std::vector<route::ListRun> from_tuples(const RunTuples& tuples) {
    std::vector<route::ListRun> runs;
    for (const auto& [rank, begin, length, position] : tuples) {
        runs.push_back({.rank = rank, .begin = begin, .length = length, .position = position});
    }
    return runs;
}

void bind_lists(nb::module_& module) {
    module.def(
        "runs_by_directory",
        [](int rank, const Integers& indices, const layout::Distribution& directory) {
            std::vector<std::pair<int, RunTuples>> made;
            for (const auto& [part, runs] :
                 route::runs_by_directory(rank, as_span(indices), directory)) {
                auto& tuples = made.emplace_back(part, RunTuples()).second;
                for (const auto& run : runs) {
                    tuples.emplace_back(run.rank, run.begin, run.length, run.position);
                }
            }
            return made;
        },
        "rank"_a, "indices"_a.noconvert(), "directory"_a);
    module.def(
        "match",
        [](const RunTuples& sources, const RunTuples& destinations) {
            std::vector<std::pair<int, Leg>> made;
            for (auto& [origin, leg] :
                 route::match(from_tuples(sources), from_tuples(destinations))) {
                made.emplace_back(origin, std::move(leg));
            }
            return made;
        },
        "sources"_a, "destinations"_a);
}

}  // namespace

void bind_route_builders(nb::module_& module) {
    bind_grids(module);
    bind_ghosts(module);
    bind_alltoall(module);
    bind_rows(module);
    bind_lists(module);
}

}  // namespace transrank::bindings
