// SPDX-License-Identifier: BSD-3-Clause
// nanobind answers a call whose arguments do not fit with a list of signatures in its own notation.
// Here such a call goes to transrank.misfits, which says what is wrong as Python does.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <dlfcn.h>
#include <exception>
#include <string>
#include <unordered_map>
#include <utility>

#include "bindings.hpp"

namespace nb = nanobind;

namespace transrank::bindings {
namespace {

using Call = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

struct Function {
    Call call = nullptr;  ///< nanobind's
    std::string name;
    bool has_self = false;
};

/// By the function's object; these are as old as the process.
std::unordered_map<PyObject*, Function>& functions() {
    static auto* const known = new std::unordered_map<PyObject*, Function>;
    return *known;
}

std::string as_text(nb::handle value) {
    return nb::str(value).c_str();
}

nb::object misfit(const Function& function, PyObject* const* arguments, std::size_t count,
                  PyObject* keywords) {
    nb::list positional;
    for (std::size_t i = function.has_self ? 1 : 0; i < count; ++i) {
        positional.append(nb::handle(arguments[i]));
    }
    nb::dict named;
    const auto names = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < names; ++i) {
        named[nb::handle(PyTuple_GetItem(keywords, i))] =
            nb::handle(arguments[count + static_cast<std::size_t>(i)]);
    }
    return nb::module_::import_("transrank.misfits")
        .attr("misfit")(function.name.c_str(), positional, named);
}

PyObject* called(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                 PyObject* keywords) {
    const auto& function = functions().find(self)->second;
    PyObject* const result = function.call(self, arguments, flagged_count, keywords);
    if (result != nullptr || PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        return result;
    }
    nb::python_error error;
    try {
        if (as_text(error.value()).find("incompatible function arguments") != std::string::npos) {
            const auto count = flagged_count & 0xffff'ffff;  // flags are above
            const auto said = misfit(function, arguments, count, keywords);
            if (!said.is_none()) {
                PyErr_SetObject(PyExc_TypeError, said.ptr());
                return nullptr;
            }
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): they cannot even be shown
    }
    error.restore();
    return nullptr;
}

/// PyVectorcall_Function, which every Python has, but none declares for a module that serves them
/// all.
Call called_now(nb::handle function) {
    using Ask = Call (*)(PyObject*);
    static const auto ask = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "PyVectorcall_Function"));
    return ask == nullptr ? nullptr : ask(function.ptr());
}

void explain_of(nb::handle function, std::string name) {
    const std::string type = as_text(nb::type_name(function.type()));
    const bool has_self = type.find("nb_method") != std::string::npos;
    if (!has_self && type.find("nb_func") == std::string::npos) {
        return;
    }
    // Where nanobind keeps what is called, as Python confirms.
    auto* const place =
        reinterpret_cast<Call*>(reinterpret_cast<char*>(function.ptr()) + sizeof(PyVarObject));
    if (*place == called_now(function)) {
        functions()[function.ptr()] = {
            .call = *place, .name = std::move(name), .has_self = has_self};
        *place = &called;
    }
}

}  // namespace

void explain_misfits(const nb::module_& module) {
    const auto each_of = [](nb::handle scope, const auto& work) {
        const nb::list items(scope.attr("__dict__").attr("items")());
        for (const nb::handle item : items) {
            work(as_text(item[0]), nb::object(item[1]));
        }
    };
    each_of(module, [&](const std::string& own, const nb::object& value) {
        if (!nb::isinstance<nb::type_object>(value)) {
            explain_of(value, own);
        } else if (own != "Bound") {  // what is called in every step stays as it is
            each_of(value, [&](const std::string& method, const nb::object& function) {
                explain_of(function, own + "." + method);
            });
        }
    });
}

}  // namespace transrank::bindings
