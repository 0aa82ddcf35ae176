// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transrank/layout/index_range.hpp"

namespace transrank::layout {

/// Consecutive indices that `part` owns. `position` is the number of the part's indices before this
/// `range`.
struct Stretch {
    int part = 0;
    IndexRange range;
    std::int64_t position = 0;
};

/// Which part owns which of the indices [0, extent) of one dimension. Each index has one owner; a
/// part keeps its indices in ascending order. Parts may be empty.
///
/// If the parts are ranks, a Distribution says which rank owns which rows of a distributed array.
/// Copies of an irregular distribution share its table; every other kind is a formula of constant
/// size.
class Distribution {
public:
    /// Divides `extent` indices into `parts` ranges whose lengths differ by at most one; the longer
    /// ranges come first, as in numpy.array_split. Throws std::invalid_argument if `extent` is
    /// negative or `parts` is below 1.
    [[nodiscard]] static Distribution even(std::int64_t extent, int parts);
    /// Part p owns the indices [boundaries[p], boundaries[p + 1]); the first boundary is 0, and the
    /// last is the extent. Throws std::invalid_argument if there are fewer than two boundaries, the
    /// first is not 0, or they descend.
    [[nodiscard]] static Distribution irregular(std::vector<std::int64_t> boundaries);
    /// block_cyclic deals out blocks of `block` indices to the `parts` in turn, beginning with
    /// `first_part`, as ScaLAPACK does. cyclic deals out single indices, beginning with part 0.
    /// With a block of ceil(`extent` / `parts`) indices, block_cyclic gives the block distribution
    /// of HPF and of MPI's darray. Throws std::invalid_argument if `extent` is negative, `parts` or
    /// `block` is below 1, or `first_part` does not exist.
    [[nodiscard]] static Distribution block_cyclic(std::int64_t extent, int parts,
                                                   std::int64_t block, int first_part = 0);
    [[nodiscard]] static Distribution cyclic(std::int64_t extent, int parts) {
        return block_cyclic(extent, parts, 1);
    }

    [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
    [[nodiscard]] int parts() const noexcept { return parts_; }
    /// Whether the boundaries were given in a table.
    [[nodiscard]] bool has_table() const noexcept { return boundaries_ != nullptr; }
    /// block() is the length of the blocks dealt out in turn, and first_part() the part that gets
    /// the first block. Both are 0 if no blocks are dealt out.
    [[nodiscard]] std::int64_t block() const noexcept { return block_; }
    [[nodiscard]] int first_part() const noexcept { return first_part_; }
    /// Whether each part owns at most one range, and the ranges ascend with the part numbers.
    [[nodiscard]] bool is_contiguous() const noexcept { return contiguous_; }

    /// The number of indices that `part` owns.
    [[nodiscard]] std::int64_t owned(int part) const noexcept;
    /// The number of ranges that the indices of `part` form: 0 or 1 if the distribution is
    /// contiguous.
    [[nodiscard]] std::int64_t ranges(int part) const noexcept;
    /// Range `number`, counted from 0, of the indices of `part`. In a contiguous distribution, the
    /// range of an empty part is empty.
    [[nodiscard]] IndexRange range(int part, std::int64_t number = 0) const noexcept;
    /// The number of indices of a part before its range `number`.
    [[nodiscard]] std::int64_t position(std::int64_t number) const noexcept {
        return number * block_;
    }
    /// The whole range in which `index` lies, and its owner. The index must be in [0, extent).
    [[nodiscard]] Stretch stretch(std::int64_t index) const noexcept;

    struct Shortest {
        int part = 0;
        std::int64_t length = 0;
    };
    /// A shortest part among the parts that are not empty, and its length, which is 0 if all are
    /// empty. Takes time linear in the number of parts if the distribution is irregular, otherwise
    /// constant time.
    [[nodiscard]] Shortest shortest() const noexcept;

    /// A description in words, in which a hash replaces a long table. Different distributions have
    /// different descriptions.
    [[nodiscard]] std::string words() const;

private:
    enum class Kind : std::uint8_t { even, irregular, block_cyclic };

    Distribution(Kind kind, std::int64_t extent, int parts);
    [[nodiscard]] Stretch stretch_of_even(std::int64_t index) const noexcept;
    [[nodiscard]] Stretch stretch_of_irregular(std::int64_t index) const noexcept;
    [[nodiscard]] Stretch stretch_of_blocks(std::int64_t index) const noexcept;
    /// Number of blocks dealt out before `part` gets its first.
    [[nodiscard]] std::int64_t turn(int part) const noexcept;

    Kind kind_;
    bool contiguous_ = true;
    int parts_;
    int first_part_ = 0;
    std::int64_t extent_;
    std::int64_t block_ = 0;      // block_cyclic
    std::int64_t quotient_ = 0;   // even: length of the shorter ranges
    std::int64_t remainder_ = 0;  // even: how many ranges are one longer
    std::shared_ptr<const std::vector<std::int64_t>> boundaries_;  // irregular
};

}  // namespace transrank::layout
