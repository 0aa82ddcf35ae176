// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace transrank::layout {

/// Which rank holds which part of a layout: all ranks or some of them, in any order.
class RankMap {
public:
    /// Part p of `parts` lies on rank `first` + p * `stride`; the map has constant size. Throws
    /// std::invalid_argument if `parts` or `stride` is below 1, or a rank is negative or too large
    /// for an int.
    [[nodiscard]] static RankMap consecutive(int parts, int first = 0, int stride = 1);
    /// Part p lies on rank ranks[p]. Throws std::invalid_argument if `ranks` is empty, or a rank is
    /// negative or listed twice.
    [[nodiscard]] static RankMap listed(std::vector<int> ranks);

    [[nodiscard]] int parts() const noexcept { return parts_; }
    /// Whether ranks were given in a list, not by a formula.
    [[nodiscard]] bool is_listed() const noexcept { return table_ != nullptr; }
    /// The rank that holds a `part`.
    [[nodiscard]] int rank(int part) const noexcept {
        return table_ ? table_->ranks[static_cast<std::size_t>(part)] : first_ + (part * stride_);
    }
    /// The part that a `rank` holds, or -1 if it holds none.
    [[nodiscard]] int part(int rank) const noexcept;
    /// The highest rank that holds a part.
    [[nodiscard]] int highest() const noexcept { return highest_; }
    /// A description in words, in which a hash replaces a long list. Different maps have different
    /// descriptions.
    [[nodiscard]] std::string words() const;

private:
    struct Table {
        std::vector<int> ranks;
        std::vector<int> parts_by_rank;  // part numbers, ascending by their rank
    };

    int parts_ = 0;
    int first_ = 0;
    int stride_ = 1;
    int highest_ = 0;
    std::shared_ptr<const Table> table_;
};

}  // namespace transrank::layout
