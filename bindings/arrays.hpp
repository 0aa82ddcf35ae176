// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// NumPy arrays of integers in and out. Arguments are read in place and not converted: an array of
/// another type, shape or order is a TypeError.
namespace transrank::bindings {

template <class T>
using Input = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig,
                                nanobind::device::cpu, nanobind::ro>;
using Integers = Input<std::int64_t>;

template <class T>
[[nodiscard]] std::span<const T> as_span(const Input<T>& array) {
    return {array.data(), array.shape(0)};
}

[[nodiscard]] inline std::vector<std::int64_t> as_vector(const Integers& array) {
    const auto values = as_span(array);
    return {values.begin(), values.end()};
}

/// A list of integers in any form; TypeError or ValueError, which name `what`, for anything else.
[[nodiscard]] inline std::vector<std::int64_t> as_vector(const char* what,
                                                         nanobind::handle values) {
    const auto forms = nanobind::module_::import_("transrank.route.indices");
    return as_vector(nanobind::cast<Integers>(forms.attr("as_indices")(what, values)));
}

/// True or False in any form; TypeError, which names `what`, for anything else.
[[nodiscard]] inline bool as_flag(const std::string& what, nanobind::handle value) {
    const auto forms = nanobind::module_::import_("transrank.route.indices");
    return nanobind::cast<bool>(forms.attr("as_flag")(what.c_str(), value));
}

/// A new NumPy array of `columns` columns (one-dimensional when 0) that owns the values.
[[nodiscard]] inline nanobind::ndarray<nanobind::numpy, std::int64_t> to_numpy(
    std::unique_ptr<std::vector<std::int64_t>> values, std::size_t columns = 0) {
    auto* const kept = values.release();
    const nanobind::capsule owner(kept, [](void* pointer) noexcept {
        delete static_cast<std::vector<std::int64_t>*>(pointer);
    });
    if (columns == 0) {
        return {kept->data(), {kept->size()}, owner};
    }
    return {kept->data(), {kept->size() / columns, columns}, owner};
}

[[nodiscard]] inline nanobind::ndarray<nanobind::numpy, std::int64_t> to_numpy(
    std::vector<std::int64_t> values, std::size_t columns = 0) {
    return to_numpy(std::make_unique<std::vector<std::int64_t>>(std::move(values)), columns);
}

}  // namespace transrank::bindings
