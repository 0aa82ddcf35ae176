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

using copy::Scalar;

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

/// A weak reference to the array that owns the memory of `array`; none where that is no array.
nb::object reference_to_owner(const nb::object& array) {
    nb::object owner = array;
    for (nb::object base = owner; base.is_valid() && !base.is_none();
         base = nb::getattr(owner, "base", nb::none())) {
        owner = base;
    }
    auto reference = nb::steal(PyWeakref_NewRef(owner.ptr(), nullptr));
    if (!reference.is_valid()) {
        PyErr_Clear();
    }
    return reference;
}

}  // namespace

std::shared_ptr<void> kept_alive(const nb::object& one, const nb::object& other) {
    using Pair = std::pair<nb::object, nb::object>;
    return {new Pair(one, other), [](Pair* pair) {
                if (Py_IsInitialized() != 0) {
                    const nb::gil_scoped_acquire acquired;
                    delete pair;
                }
            }};
}

Scalar scalar_named(std::string_view name) {
    return named(scalars, name, "scalar");
}

std::pair<std::span<std::byte>, std::shared_ptr<void>> hold(const nb::object& array) {
    return {bytes_of(array, false), kept_alive(array, reference_to_owner(array))};
}

BoundArrays::BoundArrays(const std::vector<FieldTuple>& fields) {
    for (const auto& [source, destination, unit_bytes, scalar] : fields) {
        const auto number = std::to_string(fields_.size());
        const auto from = take(source, "the source of field " + number, false);
        const auto to = take(destination, "the destination of field " + number, true);
        fields_.push_back({.source = from.data(),
                           .source_bytes = static_cast<std::int64_t>(from.size()),
                           .destination = to.data(),
                           .destination_bytes = static_cast<std::int64_t>(to.size()),
                           .unit_bytes = unit_bytes,
                           .scalar = scalar_named(scalar),
                           .keep_alive = kept_alive(source, destination)});
    }
}

BoundArrays::BoundArrays(const nb::object& send, const nb::object& receive) {
    const auto from = take(send, "the array to send from", false);
    const auto to = take(receive, "the array to receive into", true);
    fields_.push_back({.source = from.data(),
                       .source_bytes = static_cast<std::int64_t>(from.size()),
                       .destination = to.data(),
                       .destination_bytes = static_cast<std::int64_t>(to.size()),
                       .unit_bytes = 1,
                       .keep_alive = kept_alive(send, receive)});
}

std::span<std::byte> BoundArrays::take(const nb::object& array, std::string name, bool writeable) {
    const auto bytes = bytes_of(array, writeable);
    arrays_.push_back({.object = array,
                       .reference = reference_to_owner(array),
                       .name = std::move(name),
                       .writeable = writeable,
                       .bytes = bytes});
    return bytes;
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
    for (const auto& array : arrays_) {
        if (!is_in_place(array)) {
            return array.name + " was resized or made read-only after it was bound";
        }
    }
    return std::nullopt;
}

}  // namespace transrank::bindings
