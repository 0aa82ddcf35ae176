// SPDX-License-Identifier: BSD-3-Clause
// nanobind answers a call whose arguments do not fit with a list of signatures in its own notation.
// Here it is looked at once more, against the stub, and answered as Python answers.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "stub.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using Call = PyObject* (*)(PyObject*, PyObject* const*, std::size_t, PyObject*);

struct Function {
    Call call = nullptr;  ///< nanobind's
    std::string name;
    bool has_self = false;
    std::vector<StubParameter> parameters;
};

/// By the function's object; these are as old as the process.
std::unordered_map<PyObject*, Function>& functions() {
    static auto* const known = new std::unordered_map<PyObject*, Function>;
    return *known;
}

std::string as_text(nb::handle value) {
    return nb::str(value).c_str();
}

std::string shown(nb::handle value) {
    if (nb::hasattr(value, "dtype") && nb::hasattr(value, "shape")) {
        return "an array of " + as_text(value.attr("dtype")) + " of shape " +
               as_text(value.attr("shape"));
    }
    constexpr Py_ssize_t most = 80;
    const nb::str whole = nb::repr(value);
    const nb::object start = whole[nb::slice(most)];
    return as_text(start) + (static_cast<Py_ssize_t>(nb::len(whole)) > most ? "..." : "");
}

/// What to give instead of a value that is certainly of a wrong type, or "".
std::string wanted_instead(const StubParameter& parameter, nb::handle value) {
    const auto module = nb::module_::import_("transrank._core");
    const std::string type(parameter.type);
    if (type == "int" || type == "SupportsIndex") {
        if (PyIndex_Check(value.ptr()) == 0) {
            return "an integer";
        }
        int overflow = 0;
        const auto number = nb::steal(PyNumber_Index(value.ptr()));
        (void)PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
        return overflow != 0 ? "an integer of 64 bits" : "";
    }
    if (type == "bool" || type == "str") {
        const bool right =
            (type == "bool" ? PyBool_Check(value.ptr()) : PyUnicode_Check(value.ptr())) != 0;
        return right ? "" : "a " + type;
    }
    if (type == "Comm") {
        const auto wanted = nb::module_::import_("mpi4py.MPI").attr("Comm");
        return PyObject_IsInstance(value.ptr(), nb::object(wanted).ptr()) == 1
                   ? ""
                   : "an mpi4py.MPI.Comm";
    }
    if (type == "str | os.PathLike[str]") {
        const bool right = PyUnicode_Check(value.ptr()) != 0 || nb::hasattr(value, "__fspath__");
        return right ? "" : "a path";
    }
    if (type == "_Order") {
        return PyUnicode_Check(value.ptr()) != 0 ? "" : "'C' or 'F'";
    }
    if (type == "_Integers") {
        const bool right = nb::hasattr(value, "dtype") && nb::hasattr(value, "flags") &&
                           as_text(value.attr("dtype")) == "int64" &&
                           nb::cast<bool>(value.attr("flags").attr("c_contiguous"));
        return right ? "" : "a contiguous NumPy array of int64";
    }
    if (nb::hasattr(module, type.c_str())) {
        const nb::object wanted = module.attr(type.c_str());
        if (nb::isinstance<nb::type_object>(wanted) &&
            PyObject_IsInstance(value.ptr(), wanted.ptr()) == 0) {
            return "a " + type;
        }
    }
    return "";
}

nb::str text(std::string_view words) {
    return nb::str(words.data(), words.size());
}

std::string unknown_keyword(const Function& function, nb::handle keyword) {
    nb::list names;
    std::string all;
    for (const auto& each : function.parameters) {
        names.append(text(each.name));
        all += (all.empty() ? "" : ", ") + std::string(each.name);
    }
    const nb::object close =
        nb::module_::import_("difflib").attr("get_close_matches")(keyword, names, 1);
    std::string hint = all.empty() ? "it takes none" : "it takes: " + all;
    if (nb::len(close) > 0) {
        hint = "did you mean '" + as_text(close[0]) + "'?";
    }
    return "got an unexpected keyword argument '" + as_text(keyword) + "'; " + hint;
}

/// What of a call is wrong; of an array's content or a sequence's elements nothing is known here.
std::string misfit(const Function& function, const std::vector<nb::handle>& positional,
                   const std::vector<std::pair<nb::handle, nb::handle>>& named) {
    const auto& parameters = function.parameters;
    std::vector<nb::handle> values(parameters.size());
    std::size_t places = 0;
    while (places < parameters.size() && !parameters[places].keyword_only) {
        ++places;
    }
    if (positional.size() > places) {
        return "takes " + std::to_string(places) + " positional argument" +
               (places == 1 ? "" : "s") + " but " + std::to_string(positional.size()) +
               (positional.size() == 1 ? " was" : " were") + " given";
    }
    std::ranges::copy(positional, values.begin());
    for (const auto& [keyword, value] : named) {
        const auto found = std::ranges::find_if(parameters, [&, &name = keyword](const auto& each) {
            return text(each.name).equal(name);
        });
        if (found == parameters.end()) {
            return unknown_keyword(function, keyword);
        }
        auto& place = values[static_cast<std::size_t>(found - parameters.begin())];
        if (place.is_valid()) {
            return "got multiple values for argument '" + std::string(found->name) + "'";
        }
        place = value;
    }
    std::string given;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string name(parameters[i].name);
        if (!values[i].is_valid()) {
            if (parameters[i].required) {
                return "missing the required argument '" + name + "'";
            }
            continue;
        }
        const auto wanted = wanted_instead(parameters[i], values[i]);
        if (!wanted.empty()) {
            return std::string(name).append(" is ").append(shown(values[i])).append("; give ") +
                   wanted;
        }
        given.append(given.empty() ? "" : ", ").append(name).append(" = ").append(shown(values[i]));
    }
    return "an argument is out of range or of another type: " + given;
}

void explain(const Function& function, PyObject* const* arguments, std::size_t positional_count,
             PyObject* keywords) {
    const std::vector<nb::handle> positional(arguments + (function.has_self ? 1 : 0),
                                             arguments + positional_count);
    std::vector<std::pair<nb::handle, nb::handle>> named;
    const auto count = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(keywords));
    named.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        named.emplace_back(PyTuple_GetItem(keywords, static_cast<Py_ssize_t>(i)),
                           arguments[positional_count + i]);
    }
    const auto words = misfit(function, positional, named);
    const bool sentence = words.find("; give ") != std::string::npos || words.starts_with("an ");
    PyErr_SetString(PyExc_TypeError, (function.name + (sentence ? "(): " : "() ") + words).c_str());
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
        if (as_text(error.value()).find("incompatible function arguments") == std::string::npos) {
            error.restore();
            return nullptr;
        }
        explain(function, arguments, flagged_count & 0xffff'ffff, keywords);  // flags are above
    } catch (const std::exception&) {
        error.restore();  // of nanobind's, if its arguments cannot even be shown
    }
    return nullptr;
}

/// A function of nanobind's that the stub declares once.
void explain_of(nb::handle function, std::string name) {
    Function known;
    known.name = std::move(name);
    for (const auto& each : stub_parameters) {
        if (each.function == known.name) {
            known.parameters.push_back(each);
        }
    }
    const std::string type = as_text(nb::type_name(function.type()));
    known.has_self = type.find("nb_method") != std::string::npos;
    if (known.parameters.empty() ||
        (!known.has_self && type.find("nb_func") == std::string::npos)) {
        return;
    }
    known.parameters.erase(known.parameters.begin());
    // Where nanobind keeps what is called, as PyVectorcall_Function confirms.
    auto* const place =
        reinterpret_cast<Call*>(reinterpret_cast<char*>(function.ptr()) + sizeof(PyVarObject));
    known.call = *place;
    if (known.call == PyVectorcall_Function(function.ptr())) {
        functions()[function.ptr()] = std::move(known);
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
