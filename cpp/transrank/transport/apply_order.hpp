// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace transrank::transport {

/// Whose data may be applied next. Sums, and assignments that overwrite each other, are applied in
/// the order of the sending ranks, so that they come out the same bit by bit in every run;
/// otherwise whatever has arrived may be applied.
class ApplyOrder {
public:
    /// `sources`: the ranks that data come from, ascending.
    ApplyOrder(std::vector<int> sources, bool ordered)
        : sources_(std::move(sources)), ordered_(ordered) {}

    /// Begins a new round.
    void reset() noexcept { next_ = 0; }

    [[nodiscard]] bool may_apply(int rank) const {
        return !ordered_ || !std::ranges::binary_search(sources_, rank) ||
               (next_ < sources_.size() && sources_[next_] == rank);
    }

    /// The data of `rank` have been applied.
    void applied(int rank) {
        if (next_ < sources_.size() && sources_[next_] == rank) {
            ++next_;
        }
    }

    [[nodiscard]] bool ordered() const noexcept { return ordered_; }

private:
    std::vector<int> sources_;
    bool ordered_;
    std::size_t next_ = 0;
};

}  // namespace transrank::transport
