// SPDX-License-Identifier: BSD-3-Clause
#include "bound_arrays.hpp"

#include <stdexcept>

#include "named.hpp"
#include "transrank/copy/view.hpp"

namespace nb = nanobind;

namespace transrank::bindings {
namespace {

using copy::Scalar;

/// The buffer of an array. Throws Python's BufferError when it must be writeable and is not.
class Buffer {
public:
    Buffer(const nb::object& array, bool writeable) {
        if (PyObject_GetBuffer(array.ptr(), &buffer_,
                               PyBUF_STRIDES | (writeable ? PyBUF_WRITABLE : 0)) != 0) {
            throw nb::python_error();
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&buffer_); }

    [[nodiscard]] std::span<std::byte> bytes() const {
        return {static_cast<std::byte*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
    }
    [[nodiscard]] std::shared_ptr<const copy::View> view() const {
        std::vector<copy::View::Dimension> dimensions;
        for (int axis = 0; axis < buffer_.ndim; ++axis) {
            dimensions.push_back({.count = buffer_.shape[axis], .stride = buffer_.strides[axis]});
        }
        return copy::View::of(std::move(dimensions), buffer_.itemsize);
    }

private:
    Py_buffer buffer_;
};

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
    return named<Scalar>(copy::scalars, name, "scalar", &copy::ScalarKind::name);
}

std::pair<std::span<std::byte>, std::shared_ptr<void>> hold(const nb::object& array) {
    const Buffer buffer(array, false);
    if (buffer.view()) {
        throw std::invalid_argument("an array is not contiguous");
    }
    return {buffer.bytes(), kept_alive(array, reference_to_owner(array))};
}

BoundArrays::BoundArrays(const std::vector<FieldTuple>& fields) {
    for (const auto& [source, destination, unit_bytes, scalar] : fields) {
        const auto number = std::to_string(fields_.size());
        fields_.push_back(field_of(source, "the source of field " + number, destination,
                                   "the destination of field " + number));
        fields_.back().unit_bytes = unit_bytes;
        fields_.back().scalar = scalar_named(scalar);
    }
}

BoundArrays::BoundArrays(const nb::object& send, const nb::object& receive) {
    fields_.push_back(
        field_of(send, "the array to send from", receive, "the array to receive into"));
    fields_.back().unit_bytes = 1;
}

copy::Field BoundArrays::field_of(const nb::object& source, std::string source_name,
                                  const nb::object& destination, std::string destination_name) {
    const Buffer from(source, false);
    const Buffer to(destination, true);
    const auto keep = [&](const nb::object& array, std::string& name, const Buffer& buffer,
                          bool writeable) {
        arrays_.push_back({.object = array,
                           .reference = reference_to_owner(array),
                           .name = std::move(name),
                           .writeable = writeable,
                           .bytes = buffer.bytes()});
    };
    keep(source, source_name, from, false);
    keep(destination, destination_name, to, true);
    return {.source = from.bytes().data(),
            .source_bytes = static_cast<std::int64_t>(from.bytes().size()),
            .destination = to.bytes().data(),
            .destination_bytes = static_cast<std::int64_t>(to.bytes().size()),
            .unit_bytes = 0,
            .keep_alive = kept_alive(source, destination),
            .source_view = from.view(),
            .destination_view = to.view()};
}

std::vector<copy::Field> form_of(std::span<const copy::Field> fields) {
    std::vector<copy::Field> form(fields.begin(), fields.end());
    for (auto& field : form) {
        field.keep_alive = nullptr;
    }
    return form;
}

void move_to(std::vector<copy::Field>& fields, nb::handle pairs, bool keep) {
    auto field = fields.begin();
    for (const auto pair : pairs) {
        const nb::object source = pair[0];
        const nb::object destination = pair[1];
        field->source = Buffer(source, false).bytes().data();
        field->destination = Buffer(destination, true).bytes().data();
        if (keep) {
            field->keep_alive = kept_alive(source, destination);
        }
        ++field;
    }
}

bool BoundArrays::is_in_place(const Array& array) {
    try {
        const auto now = Buffer(array.object, array.writeable).bytes();
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
