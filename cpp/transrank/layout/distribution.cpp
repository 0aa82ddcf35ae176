// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/layout/distribution.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "transrank/layout/list_in_words.hpp"
#include "transrank/layout/require.hpp"

namespace transrank::layout {
namespace {

using Boundaries = std::vector<std::int64_t>;

[[noreturn]] void refuse_descent(const Boundaries& boundaries) {
    const auto higher = std::ranges::is_sorted_until(boundaries) - 1;
    const auto part = higher - boundaries.begin();
    refuse("boundaries[", part + 1, "] (", higher[1], ") is below boundaries[", part, "] (",
           higher[0], "); boundaries must not descend");
}

void check_boundaries(const Boundaries& boundaries) {
    require(boundaries.size() >= 2, boundaries.size(),
            " boundaries make no part; P parts need P + 1 boundaries");
    require(boundaries.size() - 1 <= std::numeric_limits<int>::max(), boundaries.size() - 1,
            " parts are more than an int can number");
    require(boundaries[0] == 0, "boundaries[0] is ", boundaries[0], "; the first boundary is 0");
    // Without a branch per part: the table may be all that a route's cost depends on. The sign of
    // the union is that of any value or difference that is negative.
    std::uint64_t all = 0;
    for (std::size_t part = 0; part + 1 < boundaries.size(); ++part) {
        const auto end = static_cast<std::uint64_t>(boundaries[part + 1]);
        all |= end | (end - static_cast<std::uint64_t>(boundaries[part]));
    }
    if (static_cast<std::int64_t>(all) < 0) {
        refuse_descent(boundaries);
    }
}

/// Where a shortest nonempty part is, by formula.
int shortest_of_blocks(std::int64_t extent, int parts, std::int64_t block, int first_part) {
    const std::int64_t rest = extent % block;
    const std::int64_t blocks = (extent / block) + (rest > 0 ? 1 : 0);
    const std::int64_t in_last_round = blocks % parts;
    // The last block, cut short, ends the shortest part unless another part has one block fewer.
    const bool ends_short = rest > 0 && (blocks <= parts || in_last_round == 0);
    const std::int64_t first_with_fewer = blocks > parts ? in_last_round : 0;
    const std::int64_t turn = ends_short ? blocks - 1 : first_with_fewer;
    return static_cast<int>((first_part + turn) % parts);
}

Distribution::Shortest shortest_of(const Boundaries& boundaries) {
    Distribution::Shortest shortest;
    for (std::size_t part = 0; part + 1 < boundaries.size(); ++part) {
        const std::int64_t length = boundaries[part + 1] - boundaries[part];
        if (length > 0 && (shortest.length == 0 || length < shortest.length)) {
            shortest = {.part = static_cast<int>(part), .length = length};
        }
    }
    return shortest;
}

}  // namespace

Distribution::Distribution(Kind kind, std::int64_t extent, int parts)
    : kind_(kind), parts_(parts), extent_(extent) {
    require(extent >= 0, "the extent is ", extent, "; it must be at least 0");
    require(parts >= 1, "the number of parts is ", parts, "; it must be at least 1");
}

Distribution Distribution::even(std::int64_t extent, int parts) {
    Distribution made(Kind::even, extent, parts);
    made.quotient_ = extent / parts;
    made.remainder_ = extent % parts;
    return made;
}

Distribution Distribution::irregular(std::vector<std::int64_t> boundaries) {
    check_boundaries(boundaries);
    Distribution made(Kind::irregular, boundaries.back(), static_cast<int>(boundaries.size() - 1));
    made.boundaries_ = std::make_shared<const std::vector<std::int64_t>>(std::move(boundaries));
    return made;
}

Distribution Distribution::block_cyclic(std::int64_t extent, int parts, std::int64_t block,
                                        int first_part) {
    Distribution made(Kind::block_cyclic, extent, parts);
    require(block >= 1, "the block length is ", block, "; it must be at least 1");
    require(first_part >= 0 && first_part < parts, "the first part is ", first_part,
            "; it must be one of the ", parts, " parts, counted from 0");
    if (parts == 1) {
        return even(extent, 1);
    }
    made.block_ = std::min(block, std::max<std::int64_t>(extent, 1));
    made.first_part_ = first_part;
    const std::int64_t blocks = (extent / made.block_) + (extent % made.block_ > 0 ? 1 : 0);
    made.contiguous_ = blocks == 0 || blocks <= parts - first_part;
    return made;
}

std::int64_t Distribution::turn(int part) const noexcept {
    return part >= first_part_ ? part - first_part_
                               : static_cast<std::int64_t>(part) - first_part_ + parts_;
}

std::int64_t Distribution::ranges(int part) const noexcept {
    if (kind_ != Kind::block_cyclic) {
        return range(part).empty() ? 0 : 1;
    }
    const std::int64_t blocks = (extent_ / block_) + (extent_ % block_ > 0 ? 1 : 0);
    const std::int64_t before = turn(part);
    return before < blocks ? ((blocks - before - 1) / parts_) + 1 : 0;
}

std::int64_t Distribution::owned(int part) const noexcept {
    if (kind_ != Kind::block_cyclic) {
        return range(part).length();
    }
    const std::int64_t number = ranges(part);
    return number == 0 ? 0 : ((number - 1) * block_) + range(part, number - 1).length();
}

IndexRange Distribution::range(int part, std::int64_t number) const noexcept {
    switch (kind_) {
        case Kind::even: {
            const std::int64_t begin =
                (part * quotient_) + std::min<std::int64_t>(part, remainder_);
            return {.begin = begin, .end = begin + quotient_ + (part < remainder_ ? 1 : 0)};
        }
        case Kind::irregular: {
            const std::int64_t* boundary = boundaries_->data() + part;
            return {.begin = boundary[0], .end = boundary[1]};
        }
        case Kind::block_cyclic:
            break;
    }
    // Blocks beyond the extent do not exist; their product with the length could overflow.
    const std::int64_t number_of_block = (number * parts_) + turn(part);
    if (number_of_block > extent_ / block_) {
        return {.begin = extent_, .end = extent_};
    }
    const std::int64_t begin = number_of_block * block_;
    return {.begin = begin, .end = begin + std::min(block_, extent_ - begin)};
}

Distribution::Shortest Distribution::shortest() const noexcept {
    if (kind_ == Kind::irregular) {
        return shortest_of(*boundaries_);
    }
    int part = quotient_ == 0 ? 0 : static_cast<int>(remainder_);
    if (kind_ == Kind::block_cyclic) {
        part = shortest_of_blocks(extent_, parts_, block_, first_part_);
    }
    return {.part = part, .length = owned(part)};
}

std::string Distribution::words() const {
    std::string text = std::to_string(extent_) + " indices in " + std::to_string(parts_) + " parts";
    if (kind_ == Kind::irregular) {
        text += " with boundaries" + list_in_words(std::span(*boundaries_));
    } else if (kind_ == Kind::block_cyclic) {
        text += " in blocks of " + std::to_string(block_) + " from part " +
                std::to_string(first_part_) + " on";
    }
    return text;
}

Stretch Distribution::stretch(std::int64_t index) const noexcept {
    switch (kind_) {
        case Kind::even:
            return stretch_of_even(index);
        case Kind::irregular:
            return stretch_of_irregular(index);
        case Kind::block_cyclic:
            break;
    }
    return stretch_of_blocks(index);
}

Stretch Distribution::stretch_of_even(std::int64_t index) const noexcept {
    const std::int64_t in_longer = remainder_ * (quotient_ + 1);
    const std::int64_t part = index < in_longer ? index / (quotient_ + 1)
                                                : remainder_ + ((index - in_longer) / quotient_);
    return {.part = static_cast<int>(part), .range = range(static_cast<int>(part)), .position = 0};
}

Stretch Distribution::stretch_of_irregular(std::int64_t index) const noexcept {
    // The last of equal boundaries begins the part that owns the index; those before it are empty.
    const auto after = std::ranges::upper_bound(*boundaries_, index);
    const int part = static_cast<int>(after - boundaries_->begin()) - 1;
    return {.part = part, .range = range(part), .position = 0};
}

Stretch Distribution::stretch_of_blocks(std::int64_t index) const noexcept {
    const std::int64_t number = index / block_;
    const std::int64_t begin = number * block_;
    return {.part = static_cast<int>(((number % parts_) + first_part_) % parts_),
            .range = {.begin = begin, .end = begin + std::min(block_, extent_ - begin)},
            .position = (number / parts_) * block_};
}

}  // namespace transrank::layout
