// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/redistribution.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <string_view>
#include <tuple>

#include "agreement.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "communicator_caster.hpp"
#include "named.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using layout::BlockGrid;

// A grid, or this rank's list of cells and how cells are numbered.
redistribution::Layout layout_of(const nb::object& given) {
    if (nb::isinstance<BlockGrid>(given)) {
        return nb::cast<const BlockGrid&>(given);
    }
    const auto [cells, numbering] = nb::cast<std::tuple<Integers, std::string_view>>(given);
    return redistribution::Points{.cells = as_vector(cells), .numbering = order_named(numbering)};
}

}  // namespace

void bind_redistribution(nb::module_& module) {
    module.def(
        "route_between",
        [](CommunicatorArgument comm, const nb::object& source, const nb::object& destination,
           bool fill_halo) {
            return attempted(comm, [&] {
                const auto from = layout_of(source);
                const auto to = layout_of(destination);
                return released([&] {
                    return redistribution::route_between(
                        comm.handle, from, to,
                        fill_halo ? route::Coverage::owned_and_halo : route::Coverage::owned);
                });
            });
        },
        "comm"_a, "source"_a, "destination"_a, "fill_halo"_a = false);
}

}  // namespace transrank::bindings
