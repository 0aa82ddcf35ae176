// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "lab/study/redistribute/partition.hpp"
#include "transrank/layout/index_range.hpp"

namespace transrank::lab::study::redistribute {

/// Fields of the bundle.
inline constexpr int fields = 8;

/// The cells of a rank in each dimension.
using Block = std::array<layout::IndexRange, 3>;

/// The cells of a rank in the order of its array: a block, the first dimension fastest, or a list
/// of cells, numbered likewise through the grid.
using Share = std::variant<Block, std::vector<std::int64_t>>;

[[nodiscard]] std::int64_t cells_of(const Share& share);
[[nodiscard]] Block block_of(const layout::BlockGrid& layout, int rank);

/// What a field holds: a sum of one sine wave per dimension, of frequencies and amplitudes of its
/// own; `stamp` shifts the phases, so that old values are wrong.
class Waves {
public:
    /// Of one field, over the cells of a share, which must outlive them.
    Waves(const Grid& grid, const Share& share, int field, std::uint64_t stamp);

    void write(std::span<double> values) const;
    /// The first cell in which `values` differs; -1 when none does.
    [[nodiscard]] std::int64_t first_difference(std::span<const double> values) const;

private:
    /// Calls `take` with the value of each cell in turn, until it returns false.
    template <class Take>
    void for_each_cell(const Take& take) const;

    const Share& share_;
    std::array<std::vector<double>, 3> terms_;  // by dimension, along the block or the whole grid
};

}  // namespace transrank::lab::study::redistribute
