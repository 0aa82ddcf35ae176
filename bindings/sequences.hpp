// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <vector>

/// Arguments whose conversion needs memory. nanobind's own conversion to a vector or a path may not
/// throw, so a lack of memory there would end the process.
namespace transrank::bindings {

/// What a Python sequence holds; `refuse` throws when that is not so.
template <class T, class Refuse>
[[nodiscard]] std::vector<T> each(nanobind::handle values, const Refuse& refuse) {
    if (PySequence_Check(values.ptr()) == 0) {
        refuse();
    }
    std::vector<T> made;
    for (const nanobind::handle value : nanobind::iter(values)) {
        try {
            made.push_back(nanobind::cast<T>(value));
        } catch (const nanobind::cast_error&) {
            refuse();
        }
    }
    return made;
}

/// The same; anything else is answered as an argument of another type.
template <class T>
[[nodiscard]] std::vector<T> each(nanobind::handle values) {
    return each<T>(values, [] { throw nanobind::next_overload(); });
}

/// As open() takes one; anything else is answered as an argument of another type.
[[nodiscard]] inline std::filesystem::path path_of(nanobind::handle place) {
    PyObject* bytes = nullptr;
    if (PyUnicode_FSConverter(place.ptr(), &bytes) == 0) {
        PyErr_Clear();
        throw nanobind::next_overload();
    }
    return nanobind::steal<nanobind::bytes>(bytes).c_str();
}

}  // namespace transrank::bindings
