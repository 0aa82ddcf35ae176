// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transrank::layout {

/// Where the rows of one rank lie in its flat array of units.
///
/// The row kinds of an ArrayTransformer `<T, rs, rm, al>`: rows of one length, rows of a bounded
/// length (each padded to the bound), rows of any length (CSR). With an alignment every row begins
/// at a multiple of that many units.
class Rows {
public:
    /// So many rows of `length` units each. Throws std::invalid_argument when a number is negative
    /// or the `alignment`, in units, is below 1; so do the others.
    [[nodiscard]] static Rows fixed(std::int64_t rows, std::int64_t length,
                                    std::int64_t alignment = 1);
    /// Row i holds lengths[i] units of the `bound` that it has room for. Throws
    /// std::invalid_argument when it holds more.
    [[nodiscard]] static Rows bounded(std::vector<std::int64_t> lengths, std::int64_t bound,
                                      std::int64_t alignment = 1);
    /// Row i holds lengths[i] units; the next row follows, aligned. Throws std::invalid_argument as
    /// fixed.
    [[nodiscard]] static Rows variable(const std::vector<std::int64_t>& lengths,
                                       std::int64_t alignment = 1);
    /// Row i is [offsets[i], offsets[i + 1]), as in a CSR matrix; offsets[0] need not be 0. Throws
    /// std::invalid_argument when they descend, or there are none.
    [[nodiscard]] static Rows from_offsets(std::vector<std::int64_t> offsets);

    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    /// The first unit of a row.
    [[nodiscard]] std::int64_t begin(std::int64_t row) const noexcept {
        return begins_ ? (*begins_)[static_cast<std::size_t>(row)] : row * pitch_;
    }
    /// The units that a row holds, padding apart.
    [[nodiscard]] std::int64_t length(std::int64_t row) const noexcept {
        return lengths_ ? (*lengths_)[static_cast<std::size_t>(row)] : length_;
    }
    /// Whether all rows have this one length at this one pitch, so that a row can be a unit itself.
    [[nodiscard]] bool is_fixed() const noexcept { return !lengths_; }
    /// Units from row to row; 0 when that varies.
    [[nodiscard]] std::int64_t pitch() const noexcept { return begins_ ? 0 : pitch_; }
    /// Units of the flat array, padding included.
    [[nodiscard]] std::int64_t units() const noexcept { return units_; }

    /// Whether both have the same rows in the same places.
    friend bool operator==(const Rows& one, const Rows& other);

private:
    using Table = std::shared_ptr<const std::vector<std::int64_t>>;

    std::int64_t rows_ = 0;
    std::int64_t length_ = 0;
    std::int64_t pitch_ = 0;
    std::int64_t units_ = 0;
    Table lengths_;  // bounded, variable
    Table begins_;   // variable
};

}  // namespace transrank::layout
