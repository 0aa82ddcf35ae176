// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound.hpp"
#include "communicator_caster.hpp"
#include "transrank/array/ghost_update.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using array::GhostMapping;
using array::RowArray;

// nanobind's conversions of a shared_ptr allocate but may not throw, so Python has one in a struct.

/// What Python has of the rows of one rank.
struct HeldRows {
    std::shared_ptr<RowArray> rows;
};

/// What Python has of a mapping.
struct HeldMapping {
    std::shared_ptr<const GhostMapping> mapping;
};

std::optional<HeldMapping> held(std::shared_ptr<const GhostMapping> mapping) {
    return mapping == nullptr ? std::nullopt : std::optional(HeldMapping{std::move(mapping)});
}

/// Python makes the son, between the two halves of fit_son.
class GhostUpdate final : public array::GhostUpdate {
public:
    explicit GhostUpdate(CommunicatorArgument comm)
        : array::GhostUpdate(comm.handle), comm_(comm.handle) {}

    void fit_son() override {}
    auto begin_fit() {
        return known()->attempt(
            [&] { return to_numpy(released([&] { return array::GhostUpdate::begin_fit(); })); });
    }
    void end_fit(const HeldRows& son) {
        released([&] { known()->attempt([&] { array::GhostUpdate::end_fit(son.rows); }); });
    }
    void set_father_son(const HeldRows& father, const HeldRows& son) {
        array::GhostUpdate::set_father_son(father.rows, son.rows);
    }

    [[nodiscard]] Attempt bind(const char* call, const nb::object& source,
                               const nb::object& destination, bool back,
                               const nb::callable& work) const {
        const auto comm = known();
        const auto take = [&](nb::handle options) {
            // What moves is what the RowArrays say; here the arrays are kept in their place.
            return Asked{.arrays = BoundArrays(source, destination),
                         .parts = parts(comm->rank(), back),
                         .options = options_of(options)};
        };
        return bind_agreed(comm, comm_, call, work, std::cref(take));
    }

private:
    MPI_Comm comm_;
};

void bind_row_array(nb::module_& module) {
    nb::class_<HeldRows>(module, "RowArray", "The rows of one rank, whatever their elements are.")
        .def(
            "__init__",
            [](HeldRows* self, std::int64_t element_bytes, std::string_view scalar) {
                auto rows = std::make_shared<RowArray>(element_bytes, scalar_named(scalar));
                new (self) HeldRows{std::move(rows)};
            },
            "element_bytes"_a, "scalar"_a)
        .def(
            "adopt",
            [](const HeldRows& self, const layout::Rows& rows, const nb::object& array,
               std::string_view description) {
                auto [bytes, memory] = hold(array);
                self.rows->adopt(rows, bytes, std::move(memory), std::string(description));
            },
            "rows"_a, "array"_a, "description"_a);
}

void bind_mapping(nb::module_& module) {
    using ReadOnly = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;
    nb::class_<HeldMapping>(module, "GhostMapping", "Which rows are ghosts of which; immutable.")
        .def_prop_ro("numbering", [](const HeldMapping& self) { return self.mapping->numbering; })
        .def_prop_ro("route", [](const HeldMapping& self) { return self.mapping->route; })
        .def_prop_ro("ghosts", [](const HeldMapping& self) {
            const auto& ghosts = self.mapping->ghosts;
            return ReadOnly(ghosts.data(), {ghosts.size()});
        });
}

}  // namespace

void bind_array(nb::module_& module) {
    bind_row_array(module);
    bind_mapping(module);
    using Released = nb::call_guard<nb::gil_scoped_release>;
    nb::class_<GhostUpdate>(module, "GhostUpdate", "Ghosts of rows, and their update.")
        .def(nb::init<CommunicatorArgument>(), "comm"_a, Released())
        .def("set_father_son", &GhostUpdate::set_father_son, "father"_a, "son"_a)
        .def("create_global_mapping", &GhostUpdate::create_global_mapping, Released())
        .def(
            "create_ghost_mapping",
            [](GhostUpdate& self, const Integers& pulled) {
                self.create_ghost_mapping(as_span(pulled));
            },
            "pulled"_a.noconvert(), Released())
        .def(
            "create_ghost_mapping",
            [](GhostUpdate& self, const Integers& rows, const Input<std::int32_t>& targets) {
                self.create_ghost_mapping(as_span(rows), as_span(targets));
            },
            "rows"_a.noconvert(), "targets"_a.noconvert(), Released())
        .def("use_route", &GhostUpdate::use_route, "route"_a, Released())
        .def(
            "borrow_mapping",
            [](GhostUpdate& self, const GhostUpdate& other) { self.borrow_mapping(other); },
            "other"_a, Released())
        .def("begin_fit", &GhostUpdate::begin_fit)
        .def("end_fit", &GhostUpdate::end_fit, "son"_a)
        .def("bind", &GhostUpdate::bind, "call"_a, "source"_a, "destination"_a, "back"_a, "work"_a)
        .def_prop_ro("numbering", [](const GhostUpdate& self) { return self.numbering(); })
        .def_prop_ro("mapping", [](const GhostUpdate& self) { return held(self.mapping()); });
}

}  // namespace transrank::bindings
