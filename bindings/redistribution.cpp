// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/redistribution/redistribution.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_arrays.hpp"
#include "communicator_caster.hpp"
#include "order.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using layout::BlockGrid;
using redistribution::Redistribution;

// A grid, or this rank's list of cells and how cells are numbered.
using LayoutArgument = std::variant<BlockGrid, std::tuple<Integers, std::string>>;

redistribution::Layout layout_of(const LayoutArgument& given) {
    if (const auto* grid = std::get_if<BlockGrid>(&given)) {
        return *grid;
    }
    const auto& [cells, numbering] = std::get<1>(given);
    return redistribution::Points{.cells = as_vector(cells), .numbering = order_named(numbering)};
}

redistribution::Options options_named(const std::string& mode, const std::string& packing,
                                      const std::string& bundle, const std::string& transport) {
    return {.mode = redistribution::mode_named(mode),
            .packing = redistribution::packing_named(packing),
            .bundle = redistribution::bundle_named(bundle),
            .transport = transport};
}

/// A redistribution and the arrays that it moves, which it keeps alive.
class BoundRedistribution {
public:
    BoundRedistribution(const LayoutArgument& source, const LayoutArgument& destination,
                        bool fill_halo)
        : redistribution_(layout_of(source), layout_of(destination),
                          fill_halo ? route::Coverage::owned_and_halo : route::Coverage::owned) {}

    [[nodiscard]] route::Route route(CommunicatorArgument comm) const {
        const nb::gil_scoped_release released;
        return redistribution_.route(comm.handle);
    }

    void store(CommunicatorArgument comm, const std::vector<FieldTuple>& fields,
               const std::string& mode, const std::string& packing, const std::string& bundle,
               const std::string& transport) {
        BoundArrays arrays(fields);
        const auto options = options_named(mode, packing, bundle, transport);
        {
            const nb::gil_scoped_release released;
            redistribution_.store(comm.handle, arrays.fields(), options);
        }
        arrays_.emplace(std::move(arrays));
        rank_ = comm.rank();
    }

    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves it
    /// under way, and the next run goes on with it.
    void run() {
        if (const auto what = arrays_ ? arrays_->moved_away() : std::nullopt) {
            redistribution_.abandon(*what + ", on rank " + std::to_string(rank_) +
                                    "; store the redistribution anew");
        }
        while (!is_over_in_time()) {
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
        }
    }

    [[nodiscard]] std::string explain() const { return redistribution_.explain(); }

private:
    static constexpr double seconds_between_signals = 0.2;

    [[nodiscard]] bool is_over_in_time() {
        const nb::gil_scoped_release released;
        return redistribution_.run_for(seconds_between_signals);
    }

    int rank_ = -1;
    std::optional<BoundArrays> arrays_;
    Redistribution redistribution_;
};

}  // namespace

void bind_redistribution(nb::module_& module) {
    module.def(
        "check_redistribution_options",
        [](const std::string& mode, const std::string& packing, const std::string& bundle,
           const std::string& transport) {
            redistribution::check(options_named(mode, packing, bundle, transport));
        },
        "mode"_a, "packing"_a, "bundle"_a, "transport"_a);
    nb::class_<BoundRedistribution>(module, "Redistribution",
                                    "From one layout of a grid to another one, stored for arrays.")
        .def(nb::init<const LayoutArgument&, const LayoutArgument&, bool>(), "source"_a,
             "destination"_a, "fill_halo"_a = false)
        .def("route", &BoundRedistribution::route, "comm"_a)
        .def("store", &BoundRedistribution::store, "comm"_a, "fields"_a, "mode"_a = "auto",
             "packing"_a = "auto", "bundle"_a = "auto", "transport"_a = "auto")
        .def("run", &BoundRedistribution::run)
        .def("explain", &BoundRedistribution::explain);
}

}  // namespace transrank::bindings
