// SPDX-License-Identifier: BSD-3-Clause
#include "bound_arrays.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "named.hpp"

namespace nb = nanobind;

namespace transrank::bindings {
namespace {

using transport::Scalar;

constexpr std::array<std::pair<std::string_view, Scalar>, 11> scalars{
    {{"opaque", Scalar::opaque},
     {"int8", Scalar::int8},
     {"int16", Scalar::int16},
     {"int32", Scalar::int32},
     {"int64", Scalar::int64},
     {"uint8", Scalar::uint8},
     {"uint16", Scalar::uint16},
     {"uint32", Scalar::uint32},
     {"uint64", Scalar::uint64},
     {"float32", Scalar::float32},
     {"float64", Scalar::float64}}};

/// Where the bytes of an array lie now. Throws Python's BufferError when it is not contiguous, or
/// must be writeable and is not.
std::span<std::byte> bytes_of(const nb::object& array, bool writeable) {
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, writeable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
        throw nb::python_error();
    }
    const std::span<std::byte> bytes(static_cast<std::byte*>(view.buf),
                                     static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    return bytes;
}

/// Keeps two objects, for owners that may let go of them in any thread and without Python's lock.
/// Once Python has ended they are nobody's.
std::shared_ptr<void> kept_alive(const nb::object& one, const nb::object& other) {
    using Pair = std::pair<nb::object, nb::object>;
    return {new Pair(one, other), [](Pair* pair) {
                if (Py_IsInitialized() != 0) {
                    const nb::gil_scoped_acquire acquired;
                    delete pair;
                }
            }};
}

}  // namespace

BoundArrays::BoundArrays(const std::vector<FieldTuple>& fields) {
    for (const auto& [source, destination, unit_bytes, scalar] : fields) {
        const auto from = bytes_of(source, false);
        const auto to = bytes_of(destination, true);
        arrays_.push_back({.object = source, .writeable = false, .bytes = from});
        arrays_.push_back({.object = destination, .writeable = true, .bytes = to});
        fields_.push_back({.source = from.data(),
                           .source_bytes = static_cast<std::int64_t>(from.size()),
                           .destination = to.data(),
                           .destination_bytes = static_cast<std::int64_t>(to.size()),
                           .unit_bytes = unit_bytes,
                           .scalar = named(scalars, scalar, "scalar"),
                           .keep_alive = kept_alive(source, destination)});
    }
}

bool BoundArrays::is_in_place(const Array& array) {
    try {
        const auto now = bytes_of(array.object, array.writeable);
        return now.data() == array.bytes.data() && now.size() == array.bytes.size();
    } catch (nb::python_error&) {
        return false;
    }
}

std::optional<std::string> BoundArrays::moved_away() const {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        if (!is_in_place(arrays_[i])) {
            const std::string side = i % 2 == 0 ? "source" : "destination";
            return "the " + side + " of field " + std::to_string(i / 2) +
                   " was resized or made read-only after it was bound";
        }
    }
    return std::nullopt;
}

}  // namespace transrank::bindings
