// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "transrank/array/par_array.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::array {

/// The elements of two arrays as a field of an exchange, for a route that counts in rows where all
/// rows have one length, else in elements. The field keeps their memory; the arrays must not be
/// resized. They may be the same.
[[nodiscard]] inline transport::Field field(const RowArray& source, RowArray& destination) {
    const auto& rows = source.rows();
    const auto elements = rows.is_fixed() ? std::max<std::int64_t>(rows.pitch(), 1) : 1;
    return {.source = source.bytes().data(),
            .source_bytes = std::ssize(source.bytes()),
            .destination = destination.bytes().data(),
            .destination_bytes = std::ssize(destination.bytes()),
            .unit_bytes = elements * source.element_bytes(),
            .scalar = source.scalar(),
            .keep_alive = std::make_shared<std::pair<RowArray, RowArray>>(source, destination)};
}

}  // namespace transrank::array
