// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/array/row_array.hpp"
#include "transrank/array/row_kind.hpp"
#include "transrank/array/scalar.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/layout/rows.hpp"
#include "transrank/memory/array_memory.hpp"

namespace transrank::array {

/// The rows of a distributed array that one rank holds. Their elements have type T, and lie in
/// memory that the other ranks of the node can read if the system allows that.
///
/// The parameters are named as in a published benchmark. `rs` (row size) is the number of elements
/// of each row, or dynamic_size (chosen at run time), or non_uniform_size (the rows have different
/// lengths). If the lengths differ, `rm` (row maximum) is the largest number of elements in a row:
/// a number, dynamic_size, or non_uniform_size for rows of any length. Every row begins at a
/// multiple of `al` elements (alignment); the memory begins at a page boundary.
///
///     ParArray<double, 5>                                 rows of 5 numbers
///     ParArray<double, dynamic_size>                      rows of one length, given to resize()
///     ParArray<int, non_uniform_size, 8>                  rows of at most 8 numbers
///     ParArray<int, non_uniform_size, dynamic_size>       rows up to a bound given to resize()
///     ParArray<int, non_uniform_size, non_uniform_size>   rows of any length (CSR)
///
/// No call of a ParArray is collective. Memory is released without communication, even while other
/// ranks still have it mapped.
template <class T, std::int64_t rs = 1, std::int64_t rm = rs, std::int64_t al = 1>
class ParArray final : public RowArray {
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    static_assert(alignof(T) <= 4096, "the memory begins at a page");
    static_assert(row_kind(rs, rm) != RowKind::unknown,
                  "rs is a length with rm equal to it, dynamic_size with rm equal to it, or "
                  "non_uniform_size with rm a bound, dynamic_size or non_uniform_size");
    static_assert(al >= 1, "the alignment is a number of elements, 1 for none");

public:
    using Value = T;
    static constexpr RowKind kind = row_kind(rs, rm);
    using Row = std::span<T, kind == RowKind::static_fixed ? static_cast<std::size_t>(rs)
                                                           : std::dynamic_extent>;
    using ConstRow = std::span<const T, Row::extent>;

    /// Makes an array without rows. Throws std::system_error if memory cannot be allocated.
    ParArray() : RowArray(sizeof(T), ScalarOf<T>::value) {
        if constexpr (kind == RowKind::static_fixed) {
            resize(0);
        } else if constexpr (kind == RowKind::fixed) {
            resize(0, 0);
        } else if constexpr (kind == RowKind::bounded) {
            resize({}, 0);
        } else {
            resize({});
        }
    }
    ParArray(const ParArray&) = delete;
    ParArray& operator=(const ParArray&) = delete;
    ParArray(ParArray&&) noexcept = default;
    ParArray& operator=(ParArray&&) noexcept = default;
    ~ParArray() = default;

    /// Allocates zeroed memory for `rows` rows of `row_size` elements each (or rs elements, if rs
    /// is a number). The old rows are lost, and exchanges bound to them must be bound again. Throws
    /// std::invalid_argument if a number is negative, and std::system_error if memory cannot be
    /// allocated.
    void resize(std::int64_t rows)
        requires(kind == RowKind::static_fixed)
    {
        take(layout::Rows::fixed(rows, rs, al));
    }
    void resize(std::int64_t rows, std::int64_t row_size)
        requires(kind == RowKind::fixed)
    {
        take(layout::Rows::fixed(rows, row_size, al), row_size);
    }
    /// Allocates zeroed memory for one row for each of the `lengths`, which count elements. The old
    /// rows are lost, and exchanges bound to them must be bound again. Throws std::invalid_argument
    /// if a length or `bound` is negative, or if a length exceeds `bound` (or rm, if rm is a
    /// number), and std::system_error if memory cannot be allocated.
    void resize(const std::vector<std::int64_t>& lengths)
        requires(kind == RowKind::static_bounded || kind == RowKind::variable)
    {
        if constexpr (kind == RowKind::variable) {
            take(layout::Rows::variable(lengths, al));
        } else {
            take(layout::Rows::bounded(lengths, rm, al));
        }
    }
    void resize(const std::vector<std::int64_t>& lengths, std::int64_t bound)
        requires(kind == RowKind::bounded)
    {
        take(layout::Rows::bounded(lengths, bound, al), bound);
    }

    /// The number of elements of a `row`.
    [[nodiscard]] std::int64_t row_size(std::int64_t row) const noexcept {
        return rows().length(row);
    }
    /// The number of elements of every row, if all rows have one length.
    [[nodiscard]] std::int64_t row_size() const noexcept
        requires(array::is_fixed(kind))
    {
        return row_size_max();
    }
    /// The largest number of elements that a row may have.
    [[nodiscard]] std::int64_t row_size_max() const noexcept
        requires(kind != RowKind::variable)
    {
        return std::max(rm, bound_);
    }

    /// The elements of a `row`, which must be in [0, size()).
    [[nodiscard]] Row operator[](std::int64_t row) noexcept { return row_of<Row>(row); }
    [[nodiscard]] ConstRow operator[](std::int64_t row) const noexcept {
        return row_of<ConstRow>(row);
    }

    /// All elements, row after row, including any padding between the rows.
    [[nodiscard]] std::span<T> data() noexcept {
        return {elements(), static_cast<std::size_t>(rows().units())};
    }
    [[nodiscard]] std::span<const T> data() const noexcept {
        return {elements(), static_cast<std::size_t>(rows().units())};
    }

private:
    void take(layout::Rows rows, std::int64_t bound = -1) {
        std::size_t bytes = 0;
        layout::require(!__builtin_mul_overflow(rows.units(), sizeof(T), &bytes), rows.rows(),
                        " rows have more bytes than 64 bits can count");
        auto memory = std::make_shared<memory::ArrayMemory>(bytes);
        const auto place = memory->bytes().first(bytes);
        const auto most = std::to_string(std::max(rm, bound)) + " elements";
        bound_ = bound;
        if constexpr (array::is_fixed(kind)) {
            adopt(rows, place, std::move(memory), std::to_string(rows.pitch()) + " elements");
        } else {
            adopt(std::move(rows), place, std::move(memory),
                  kind == RowKind::variable ? "any length" : "at most " + most);
        }
    }
    [[nodiscard]] T* elements() const noexcept { return reinterpret_cast<T*>(bytes().data()); }
    template <class Wanted>
    [[nodiscard]] Wanted row_of(std::int64_t row) const noexcept {
        return Wanted(elements() + rows().begin(row), static_cast<std::size_t>(rows().length(row)));
    }

    std::int64_t bound_ = -1;  ///< fixed, bounded: of every row
};

}  // namespace transrank::array
