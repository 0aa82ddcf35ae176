// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "transrank/copy/field.hpp"

namespace transrank::bindings {

/// Source, destination, bytes of a unit, name of its scalar.
using FieldTuple = std::tuple<nanobind::object, nanobind::object, std::int64_t, std::string_view>;

/// Throws std::invalid_argument for a name that there is not.
[[nodiscard]] copy::Scalar scalar_named(std::string_view name);

/// Keeps two objects, for owners that may let go of them in any thread and without Python's lock.
/// Once Python has ended they are nobody's.
[[nodiscard]] std::shared_ptr<void> kept_alive(const nanobind::object& one,
                                               const nanobind::object& other);

/// Where the bytes of an array lie, and what keeps the array: NumPy refuses to resize it meanwhile.
/// Throws std::invalid_argument when it is not contiguous.
[[nodiscard]] std::pair<std::span<std::byte>, std::shared_ptr<void>> hold(
    const nanobind::object& array);

/// Fields like these, which keep no array.
[[nodiscard]] std::vector<copy::Field> form_of(std::span<const copy::Field> fields);

/// Has fields lie where as many pairs of arrays of their form are, and keep them if asked to.
/// Throws Python's BufferError when a destination is read-only.
void move_to(std::vector<copy::Field>& fields, nanobind::handle pairs, bool keep);

/// The arrays of some fields, kept alive, and where they were when they were bound. NumPy refuses
/// to resize them meanwhile: MPI would go on writing where they were.
class BoundArrays {
public:
    BoundArrays() = default;
    /// Throws Python's BufferError when a destination is read-only.
    explicit BoundArrays(const std::vector<FieldTuple>& fields);
    /// One field of bytes.
    BoundArrays(const nanobind::object& send, const nanobind::object& receive);

    [[nodiscard]] const std::vector<copy::Field>& fields() const noexcept { return fields_; }
    /// Which array is no longer where it was, and why that cannot be: words that begin a message.
    [[nodiscard]] std::optional<std::string> moved_away() const;

private:
    struct Array {
        nanobind::object object;
        nanobind::object reference;  ///< weak: an array that has such a reference is not resized
        std::string name;
        bool writeable;
        std::span<std::byte> bytes;
    };
    [[nodiscard]] static bool is_in_place(const Array& array);
    copy::Field field_of(const nanobind::object& source, std::string source_name,
                         const nanobind::object& destination, std::string destination_name);

    std::vector<Array> arrays_;
    std::vector<copy::Field> fields_;
};

}  // namespace transrank::bindings
