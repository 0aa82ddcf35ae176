// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace transrank::bindings {

/// Binds == and hash of an immutable class by a tuple of what an object is made of.
template <class Class, class Values>
void bind_comparison(nanobind::class_<Class>& bound, const Values& values) {
    bound
        .def(
            "__eq__",
            [values](const Class& self, const Class& other) {
                return values(self).equal(values(other));
            },
            nanobind::is_operator())
        .def("__hash__", [values](const Class& self) { return nanobind::hash(values(self)); });
}

/// What `__reduce__` returns, for pickles and copies: `call` is a tuple of the name of a static
/// method and its arguments, which makes an equal object.
template <class Class>
[[nodiscard]] nanobind::tuple made_by(const nanobind::tuple& call) {
    const auto maker = nanobind::module_::import_("operator").attr("methodcaller")(*call);
    return nanobind::make_tuple(maker, nanobind::make_tuple(nanobind::type<Class>()));
}

}  // namespace transrank::bindings
