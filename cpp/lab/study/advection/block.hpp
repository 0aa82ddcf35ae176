// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "transrank/layout/index_range.hpp"

namespace transrank::lab::study::advection {

/// A rank's part of the grid as it lies in memory: rows of doubles with room for two rows and two
/// columns of ghosts on each side, then room for copies of the two rows and the two columns that
/// its neighbors read. Every row's first owned point begins a cache line, without which a row would
/// be stored in parts of lines.
class Block {
public:
    Block(std::int64_t rows, std::int64_t columns) : rows_(rows), columns_(columns) {
        pitch_ = lead + ((columns + ghosts + lead - 1) / lead * lead);
        if (pitch_ % (page_doubles) == 0) {
            pitch_ += lead;  // rows a page apart would meet in the same sets of the cache
        }
    }

    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
    [[nodiscard]] std::int64_t points() const noexcept { return rows_ * columns_; }
    /// Doubles from a row to the next.
    [[nodiscard]] std::int64_t pitch() const noexcept { return pitch_; }
    /// Doubles of the whole array.
    [[nodiscard]] std::int64_t doubles() const noexcept {
        return copied_columns() + (ghosts * rows_);
    }
    /// Where a point lies in the array; ghosts have rows and columns -2, -1, and from the owned
    /// ones' number on.
    [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t column) const noexcept {
        return ((row + ghosts) * pitch_) + lead + column;
    }
    /// Where copies of rows begin, and of columns: dense, row by row.
    [[nodiscard]] std::int64_t copied_rows() const noexcept {
        return ((rows_ + (2 * ghosts)) * pitch_) + lead;
    }
    [[nodiscard]] std::int64_t copied_columns() const noexcept {
        return copied_rows() + (ghosts * columns_);
    }

private:
    static constexpr std::int64_t ghosts = 2;
    static constexpr std::int64_t lead = 8;  ///< doubles of a cache line
    static constexpr std::int64_t page_doubles = 512;

    std::int64_t rows_;
    std::int64_t columns_;
    std::int64_t pitch_;
};

/// A box of owned points.
struct Region {
    layout::IndexRange rows;
    layout::IndexRange columns;
};

[[nodiscard]] inline Region whole(const Block& block) {
    return {.rows = {0, block.rows()}, .columns = {0, block.columns()}};
}

}  // namespace transrank::lab::study::advection
