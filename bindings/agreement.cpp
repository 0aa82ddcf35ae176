// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <new>
#include <stdexcept>

#include "bindings.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

/// UTF-8 in which what cannot be said in it, and NUL, is escaped; an error of Python's is cleared.
std::string utf8(nb::handle text) {
    const auto bytes =
        nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) {
        PyErr_Clear();
        return "";
    }
    std::string words(bytes.c_str(), bytes.size());
    for (auto at = words.find('\0'); at != std::string::npos; at = words.find('\0', at)) {
        words.replace(at, 1, "\\x00");
    }
    return words;
}

/// The name of a value's type, `object` if it cannot be had.
std::string type_of(nb::handle value) {
    try {
        return utf8(value.type().attr("__name__"));
    } catch (nb::python_error&) {
        return "object";
    }
}

Attempt attempt(CommunicatorArgument comm, const char* call, const char* what,
                const nb::callable& work) {
    mpi::begin_to_use();
    return attempted(comm, [&] {
        const Outcome own(work, comm.rank());
        return own.settled([&] {
            agree(comm, call, own.refusal, what, own.said);
            return own.result;
        });
    });
}

void translate(const std::exception_ptr& thrown, void* type) {
    try {
        std::rethrow_exception(thrown);
    } catch (const mpi::AgreedError& error) {
        PyErr_SetObject(static_cast<PyObject*>(type), readable(error.what()).ptr());
    }
}

}  // namespace

nb::object readable(const std::string& words) {
    return nb::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()),
                                          "backslashreplace"));
}

Outcome::Outcome(const nb::callable& work, int rank, const std::function<void(nb::handle)>& take) {
    try {
        const nb::tuple returned(work());
        for (const nb::handle word : nb::iter(returned[0])) {
            said.push_back(utf8(word));
        }
        result = returned[1];
        take(result);
    } catch (const std::bad_alloc&) {
        refusal.emplace();
    } catch (const nb::python_error& error) {
        refusal = words_of(error, rank);
        raised = nb::borrow(error.value());
        if (error.traceback().is_valid()) {
            PyException_SetTraceback(raised.ptr(), error.traceback().ptr());
        }
    } catch (const std::exception& error) {
        refusal = error.what();
    }
}

void Outcome::require() const {
    if (refusal && refusal->empty()) {
        throw std::bad_alloc();
    }
    if (refusal) {
        throw std::invalid_argument(*refusal);
    }
}

std::string words_of(const nb::python_error& error, int rank) {
    const auto text = nb::steal(PyObject_Str(error.value().ptr()));
    PyErr_Clear();
    const auto words = text.is_valid() ? utf8(text) : std::string();
    if (!words.empty() && PyObject_IsInstance(error.value().ptr(), PyExc_Exception) == 1) {
        return words;
    }
    return type_of(error.value()) + " on rank " + std::to_string(rank) +
           (words.empty() ? "" : ": " + words);
}

void agree(CommunicatorArgument comm, std::string_view call,
           const std::optional<std::string>& words, std::string_view what, const mpi::Words& said) {
    const std::string none;
    const nb::gil_scoped_release guard;
    const auto known = exchange::KnownCommunicator::get(comm.handle);
    const mpi::Call named(known->base(), call);
    std::array<std::uint64_t, 2> sums{words ? 1U : 0U, mpi::balance_of(known->base(), said)};
    const auto& own = known->meet(sums);
    if (sums[0] != 0) {
        const bool lacks_memory = !words || *words == "std::bad_alloc";  // no rank's name
        mpi::throw_first(own, words.has_value(), lacks_memory ? none : *words);
    }
    if (sums[1] != 0) {
        mpi::agree_on(own, what, said);
    }
}

std::int64_t as_integer(const std::string& what, nb::handle value) {
    const auto number = nb::steal(PyNumber_Index(value.ptr()));
    if (!number.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
        throw nb::python_error();
    }
    PyErr_Clear();
    layout::require(number.is_valid(), what, " is a ", type_of(value), "; give an integer");
    int overflow = 0;
    const auto found = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    layout::require(overflow == 0, what, " is ", utf8(nb::str(number)), "; it must be of 64 bits");
    return found;
}

void bind_agreement(nb::module_& module) {
    const nb::exception<mpi::AgreedError> agreed(module, "AgreedError", PyExc_ValueError);
    nb::register_exception_translator(translate, agreed.ptr());
    module.def("attempt", &attempt, "comm"_a, "call"_a, "what"_a, "work"_a);
}

}  // namespace transrank::bindings
