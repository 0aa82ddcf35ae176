// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/array/par_array.hpp"
#include "transrank/copy/field.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::array {

/// Returns a field (what an exchange moves) with the elements of `source` and `destination`. The
/// route must count rows if all rows have one length, otherwise elements. The field keeps the
/// memory of both arrays alive; they must not be resized. They may be the same array. Throws
/// std::invalid_argument if their element types or row lengths differ, and mpi::Misuse if one of
/// them has been moved from.
[[nodiscard]] inline copy::Field field(const RowArray& source, RowArray& destination) {
    if (!source.is_there() || !destination.is_there()) {
        throw mpi::Misuse("an array of a field was moved from, or never had rows; resize it first");
    }
    const auto& rows = source.rows();
    layout::require(source.element_bytes() == destination.element_bytes() &&
                        source.scalar() == destination.scalar() &&
                        rows.is_fixed() == destination.rows().is_fixed() &&
                        (rows.pitch() == destination.rows().pitch() || source.size() == 0 ||
                         destination.size() == 0 || !rows.is_fixed()),
                    "rows of ", source.description(), " of ", source.element_bytes(),
                    " bytes cannot be moved to rows of ", destination.description(), " of ",
                    destination.element_bytes(), " bytes, or of another type");
    const auto elements = rows.is_fixed() ? std::max<std::int64_t>(rows.pitch(), 1) : 1;
    return {.source = source.bytes().data(),
            .source_bytes = std::ssize(source.bytes()),
            .destination = destination.bytes().data(),
            .destination_bytes = std::ssize(destination.bytes()),
            .unit_bytes = elements * source.element_bytes(),
            .scalar = source.scalar(),
            .keep_alive = std::make_shared<std::pair<RowArray, RowArray>>(source, destination)};
}

/// Returns a field of `source` and `destination`; throws std::invalid_argument and mpi::Misuse as
/// for RowArrays. Arrays with different element types or row lengths do not compile.
template <class T, std::int64_t rs, std::int64_t rm, std::int64_t al, class U, std::int64_t us,
          std::int64_t um, std::int64_t ul>
[[nodiscard]] copy::Field field(const ParArray<T, rs, rm, al>& source,
                                ParArray<U, us, um, ul>& destination) {
    static_assert(std::is_same_v<T, U>, "both arrays of a field hold elements of one type");
    static_assert(is_fixed(row_kind(rs, rm)) == is_fixed(row_kind(us, um)) &&
                      (rs < 0 || us < 0 || (rs + al - 1) / al * al == (us + ul - 1) / ul * ul),
                  "the rows of both arrays of a field have one length");
    const RowArray& from = source;
    RowArray& to = destination;
    return field(from, to);
}

/// Returns a field whose source and destination are `both`. Throws mpi::Misuse if the array has
/// been moved from.
template <class T, std::int64_t rs, std::int64_t rm, std::int64_t al>
[[nodiscard]] copy::Field field(ParArray<T, rs, rm, al>& both) {
    return field(both, both);
}

/// Memory that outlives the expression that names it: a variable, or a view of one.
template <class Range>
concept LastingMemory = std::ranges::contiguous_range<Range> && std::ranges::borrowed_range<Range>;

/// Returns a std::span of the elements of `array`, a ParArray or memory of the caller's own. Throws
/// nothing.
template <class Array>
[[nodiscard]] auto elements(Array& array) {
    if constexpr (std::ranges::contiguous_range<Array>) {
        return std::span(array);
    } else {
        return array.data();
    }
}
/// The number of elements in a row of a ParArray<T, components>; 1 for memory of the caller's own.
template <class Array>
constexpr std::int64_t components_of = 1;
template <class T, std::int64_t components>
constexpr std::int64_t components_of<ParArray<T, components>> = components;

/// Returns a field with `source` and `destination` in memory of the caller's own, such as a
/// std::vector or std::span. Each unit of the route (a cell or row) is `components` adjacent
/// elements. The memory must stay valid, at the same address, while the field is used; after a
/// BrokenExchange, until MPI_Finalize. Throws std::invalid_argument if `components` is below 1.
template <LastingMemory Source, LastingMemory Destination>
[[nodiscard]] copy::Field field(Source&& source, Destination&& destination,
                                std::int64_t components = 1) {
    using T = std::ranges::range_value_t<Source>;
    static_assert(std::is_same_v<T, std::ranges::range_value_t<Destination>> &&
                      std::is_trivially_copyable_v<T>,
                  "both arrays of a field hold elements of one type, which are moved as bytes");
    layout::require(components >= 1, "a field has ", components, " components; give at least 1");
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    return {.source = reinterpret_cast<const std::byte*>(std::ranges::data(source)),
            .source_bytes = std::ranges::ssize(source) * bytes,
            .destination = reinterpret_cast<std::byte*>(std::ranges::data(destination)),
            .destination_bytes = std::ranges::ssize(destination) * bytes,
            .unit_bytes = components * bytes,
            .scalar = ScalarOf<T>::value};
}
/// Returns a field whose source and destination are `both`, with `components` elements per unit
/// (cell or row). Throws std::invalid_argument if `components` is below 1.
template <LastingMemory Both>
[[nodiscard]] copy::Field field(Both&& both, std::int64_t components = 1) {
    return field(both, both, components);
}

/// Returns `made`, which is a field already. Throws nothing.
[[nodiscard]] inline copy::Field field(copy::Field made) {
    return made;
}

/// Returns a field for each of the `arrays`; the array is the source and the destination of its
/// field. Example: `update.run_with(array::fields(u, v))`. Throws std::invalid_argument and
/// mpi::Misuse as `field` does.
template <class... Arrays>
[[nodiscard]] std::vector<copy::Field> fields(Arrays&&... arrays) {
    return {field(std::forward<Arrays>(arrays))...};
}

}  // namespace transrank::array
