// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/rank_map.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "transrank/layout/list_in_words.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::layout {

RankMap RankMap::consecutive(int parts, int first, int stride) {
    const std::int64_t highest =
        first + (static_cast<std::int64_t>(stride) * (static_cast<std::int64_t>(parts) - 1));
    require(
        parts >= 1 && first >= 0 && stride >= 1 && highest <= std::numeric_limits<int>::max(),
        parts, " parts on ranks from ", first, " in steps of ", stride,
        " are out of range; it takes at least one part, a first rank of at least 0, a step of at "
        "least 1, and ranks that fit an int");
    RankMap made;
    made.parts_ = parts;
    made.first_ = first;
    made.stride_ = stride;
    made.highest_ = static_cast<int>(highest);
    return made;
}

RankMap RankMap::listed(std::vector<int> ranks) {
    require(!ranks.empty() && ranks.size() <= std::numeric_limits<int>::max(), "a list of ",
            ranks.size(), " ranks; it names at least one, and at most as many as an int can count");
    std::vector<int> parts(ranks.size());
    std::iota(parts.begin(), parts.end(), 0);
    const auto rank_of = [&](int part) { return ranks[static_cast<std::size_t>(part)]; };
    std::ranges::sort(parts, {}, rank_of);
    require(rank_of(parts.front()) >= 0, "part ", parts.front(), " lies on rank ",
            rank_of(parts.front()), "; ranks are at least 0");
    const auto twice = std::ranges::adjacent_find(parts, {}, rank_of);
    if (twice != parts.end()) {
        refuse("parts ", twice[0], " and ", twice[1], " both lie on rank ", rank_of(*twice),
               "; a rank holds at most one part");
    }
    RankMap made;
    made.parts_ = static_cast<int>(ranks.size());
    made.highest_ = rank_of(parts.back());
    made.table_ = std::make_shared<const Table>(
        Table{.ranks = std::move(ranks), .parts_by_rank = std::move(parts)});
    return made;
}

std::string RankMap::words() const {
    if (table_) {
        return "on ranks" + list_in_words(std::span(table_->ranks));
    }
    return "on ranks from " + std::to_string(first_) + " in steps of " + std::to_string(stride_);
}

int RankMap::part(int rank) const noexcept {
    if (table_) {
        const auto rank_of = [&](int part) {
            return table_->ranks[static_cast<std::size_t>(part)];
        };
        const auto& parts = table_->parts_by_rank;
        const auto found = std::ranges::lower_bound(parts, rank, {}, rank_of);
        return found != parts.end() && rank_of(*found) == rank ? *found : -1;
    }
    if (rank < first_ || rank > highest_ || (rank - first_) % stride_ != 0) {
        return -1;
    }
    return (rank - first_) / stride_;
}

}  // namespace transrank::layout
