// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transrank::layout {

/// Where the rows of one rank lie in its flat array of units (elements).
///
/// Rows have one length (`rs`), a bounded length (at most `rm`; each row is padded to `rm` units),
/// or any length (CSR). With an alignment (`al`), every row begins at a multiple of `al` units. A
/// ParArray `<T, rs, rm, al>` has these kinds of rows; the names come from a published benchmark.
class Rows {
public:
    /// Makes `rows` rows of `length` units each. Throws std::invalid_argument if a number is
    /// negative or the `alignment`, in units, is below 1.
    [[nodiscard]] static Rows fixed(std::int64_t rows, std::int64_t length,
                                    std::int64_t alignment = 1);
    /// Row i holds lengths[i] units and has room for `bound` units. Throws std::invalid_argument if
    /// a row holds more than `bound` units, a number is negative, or the `alignment` is below 1.
    [[nodiscard]] static Rows bounded(std::vector<std::int64_t> lengths, std::int64_t bound,
                                      std::int64_t alignment = 1);
    /// Row i holds lengths[i] units; the next row begins at the next multiple of `alignment` units.
    /// Throws std::invalid_argument if a length is negative or the `alignment` is below 1.
    [[nodiscard]] static Rows variable(const std::vector<std::int64_t>& lengths,
                                       std::int64_t alignment = 1);
    /// Row i consists of the units [offsets[i], offsets[i + 1]), as in a CSR matrix; offsets[0]
    /// need not be 0. Throws std::invalid_argument if there are no offsets, the first is negative,
    /// or they descend.
    [[nodiscard]] static Rows from_offsets(std::vector<std::int64_t> offsets);

    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    /// The position of the first unit of a `row` in the flat array.
    [[nodiscard]] std::int64_t begin(std::int64_t row) const noexcept {
        return begins_ ? (*begins_)[static_cast<std::size_t>(row)] : row * pitch_;
    }
    /// The number of units in a `row`, without padding.
    [[nodiscard]] std::int64_t length(std::int64_t row) const noexcept {
        return lengths_ ? (*lengths_)[static_cast<std::size_t>(row)] : length_;
    }
    /// Whether all rows have the same length and pitch, so that a whole row can be a unit of a
    /// route.
    [[nodiscard]] bool is_fixed() const noexcept { return !lengths_; }
    /// Units from the start of one row to the start of the next; 0 if it varies.
    [[nodiscard]] std::int64_t pitch() const noexcept { return begins_ ? 0 : pitch_; }
    /// The number of units in the flat array, padding included.
    [[nodiscard]] std::int64_t units() const noexcept { return units_; }

    /// Whether `one` and `other` have the same rows in the same places.
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
