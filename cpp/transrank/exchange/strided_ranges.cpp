// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/strided_ranges.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <queue>
#include <span>
#include <utility>

namespace transrank::exchange {
namespace {

struct Piece {
    std::int64_t begin = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    bool written = false;
    int owner = -1;
};

// Ascending, without what holds no place.
std::vector<StridedRange> in_order(std::vector<StridedRange> ranges) {
    std::erase_if(ranges,
                  [](const StridedRange& each) { return each.length == 0 || each.count == 0; });
    for (auto& range : ranges) {
        if (range.stride < 0) {
            range.begin += (range.count - 1) * range.stride;
            range.stride = -range.stride;
        }
    }
    std::ranges::sort(ranges, {}, &StridedRange::begin);
    return ranges;
}

std::int64_t end_of(const StridedRange& range) {
    return range.begin + ((range.count - 1) * range.stride) + range.length;
}

Piece first_piece(const StridedRange& range) {
    return {.begin = range.begin,
            .end = range.begin + range.length,
            .written = range.written,
            .owner = range.owner};
}

/// How far pieces reach: the one that ends last, and the last one of another owner.
class Reach {
public:
    void add(const Piece& piece) {
        if (piece.end > last_.end) {
            if (piece.owner != last_.owner) {
                last_of_others_ = last_;
            }
            last_ = piece;
        } else if (piece.owner != last_.owner && piece.end > last_of_others_.end) {
            last_of_others_ = piece;
        }
    }

    [[nodiscard]] const Piece& last() const { return last_; }
    [[nodiscard]] const Piece& last_not_of(int owner) const {
        return last_.owner == owner ? last_of_others_ : last_;
    }

private:
    Piece last_;
    Piece last_of_others_;
};

/// Two pieces with a place in common.
using Meeting = std::pair<Piece, Piece>;

/// Takes pieces in ascending order, and returns two that meet although they must not.
class Clashes {
public:
    std::optional<Meeting> add(const Piece& piece) {
        const auto& read = reads_.last();
        const auto& write = piece.written ? writes_.last_not_of(piece.owner) : writes_.last();
        if (piece.written && piece.begin < read.end) {
            return Meeting{piece, read};
        }
        if (piece.begin < write.end) {
            return Meeting{write, piece};
        }
        (piece.written ? writes_ : reads_).add(piece);
        return std::nullopt;
    }

private:
    Reach reads_;
    Reach writes_;
};

// Piece by piece, from all ranges at once.
std::optional<Meeting> find_among(std::span<const StridedRange> ranges) {
    Clashes clashes;
    const auto begins_later = [](const StridedRange& one, const StridedRange& other) {
        return one.begin > other.begin;
    };
    std::priority_queue<StridedRange, std::vector<StridedRange>, decltype(begins_later)> begun(
        begins_later);
    for (auto next = ranges.begin(); next != ranges.end() || !begun.empty();) {
        StridedRange range{};
        if (begun.empty() || (next != ranges.end() && next->begin <= begun.top().begin)) {
            range = *next++;
        } else {
            range = begun.top();
            begun.pop();
        }
        if (auto meeting = clashes.add(first_piece(range))) {
            return meeting;
        }
        if (--range.count > 0) {
            range.begin += range.stride;
            begun.push(range);
        }
    }
    return std::nullopt;
}

// For ranges of one stride, such as the members of an array of structs: ranges that do not overlap
// within one stride overlap nowhere.
bool are_apart_in_each_stride(std::span<const StridedRange> ranges) {
    const auto stride = ranges.front().stride;
    std::vector<StridedRange> within;
    for (auto range : ranges) {
        if (range.stride != stride || range.length > stride) {
            return false;
        }
        range.begin = (range.begin - ranges.front().begin) % stride;
        range.count = 2;  // the second, since the first may reach into the next stride
        within.push_back(range);
    }
    return !find_among(in_order(std::move(within)));
}

// Only ranges whose hulls meet, directly or through others, need be looked at piece by piece.
std::optional<Meeting> find_meeting(std::vector<StridedRange> ranges) {
    ranges = in_order(std::move(ranges));
    for (auto first = ranges.begin(); first != ranges.end();) {
        auto end = end_of(*first);
        auto last = std::next(first);
        while (last != ranges.end() && last->begin < end) {
            end = std::max(end, end_of(*last));
            ++last;
        }
        if (last - first == 1) {
            first->count =
                std::min<std::int64_t>(first->count, 2);  // enough to know about all others
        }
        const std::span<const StridedRange> meeting(first, last);
        if (!are_apart_in_each_stride(meeting)) {
            if (auto found = find_among(meeting)) {
                return found;
            }
        }
        first = last;
    }
    return std::nullopt;
}

}  // namespace

bool is_written_twice(std::vector<StridedRange> ranges) {
    std::erase_if(ranges, [](const StridedRange& each) { return !each.written; });
    int owner = 0;  // each range by itself
    for (auto& range : ranges) {
        if (range.count > 1 && range.length > std::abs(range.stride)) {
            return true;
        }
        range.owner = owner++;
    }
    return find_meeting(std::move(ranges)).has_value();
}

std::optional<Clash> find_clash(std::vector<StridedRange> ranges) {
    const auto found = find_meeting(std::move(ranges));
    if (!found) {
        return std::nullopt;
    }
    const auto& [writer, other] = *found;
    return Clash{.writer = writer.owner, .other = other.owner, .other_writes = other.written};
}

}  // namespace transrank::exchange
