// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "transrank/copy/field.hpp"

namespace transrank::array {

/// `value` says which kind of number an element of type T consists of. Sums, minima and maxima need
/// to know this. If it is opaque, elements can only be assigned. Specialize ScalarOf for a
/// structure whose numbers all have one type.
template <class T>
struct ScalarOf {
    static constexpr copy::Scalar value = [] {
        using copy::Scalar;
        if constexpr (std::is_same_v<T, float>) {
            return Scalar::float32;
        } else if constexpr (std::is_same_v<T, double>) {
            return Scalar::float64;
        } else if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) {
            return Scalar::opaque;
        } else if constexpr (sizeof(T) == 1) {
            return std::is_signed_v<T> ? Scalar::int8 : Scalar::uint8;
        } else if constexpr (sizeof(T) == 2) {
            return std::is_signed_v<T> ? Scalar::int16 : Scalar::uint16;
        } else if constexpr (sizeof(T) == 4) {
            return std::is_signed_v<T> ? Scalar::int32 : Scalar::uint32;
        } else if constexpr (sizeof(T) == 8) {
            return std::is_signed_v<T> ? Scalar::int64 : Scalar::uint64;
        } else {
            return Scalar::opaque;
        }
    }();
};

template <class T, std::size_t N>
struct ScalarOf<std::array<T, N>> : ScalarOf<T> {};

}  // namespace transrank::array
