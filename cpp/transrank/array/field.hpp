// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/array/par_array.hpp"
#include "transrank/array/scalar.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::array {

/// The elements of two arrays as a field of an exchange, for a route that counts in rows where all
/// rows have one length, else in elements. The arrays must outlive the exchange and keep their
/// size; they may be the same.
template <class T, std::int64_t rs, std::int64_t rm, std::int64_t al>
[[nodiscard]] transport::Field field(const ParArray<T, rs, rm, al>& source,
                                     ParArray<T, rs, rm, al>& destination) {
    const auto from = std::as_bytes(source.data());
    const auto to = std::as_writable_bytes(destination.data());
    const auto elements = is_fixed(row_kind(rs, rm)) ? source.rows().pitch() : 1;
    return {.source = from.data(),
            .source_bytes = static_cast<std::int64_t>(from.size()),
            .destination = to.data(),
            .destination_bytes = static_cast<std::int64_t>(to.size()),
            .unit_bytes = elements * static_cast<std::int64_t>(sizeof(T)),
            .scalar = ScalarOf<T>::value};
}

}  // namespace transrank::array
