// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {

using layout::BlockGrid;

void bind_route_builders(nb::module_& module) {
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
}

}  // namespace transrank::bindings
