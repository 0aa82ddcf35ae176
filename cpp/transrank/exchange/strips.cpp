// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/strips.hpp"

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
std::vector<Strip> in_order(std::vector<Strip> strips) {
    std::erase_if(strips, [](const Strip& each) { return each.length == 0 || each.count == 0; });
    for (auto& strip : strips) {
        if (strip.stride < 0) {
            strip.begin += (strip.count - 1) * strip.stride;
            strip.stride = -strip.stride;
        }
    }
    std::ranges::sort(strips, {}, &Strip::begin);
    return strips;
}

std::int64_t end_of(const Strip& strip) {
    return strip.begin + ((strip.count - 1) * strip.stride) + strip.length;
}

Piece first_piece(const Strip& strip) {
    return {.begin = strip.begin,
            .end = strip.begin + strip.length,
            .written = strip.written,
            .owner = strip.owner};
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

/// Takes pieces in ascending order, and tells when one meets another that it must not meet.
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

class SecondWrites {
public:
    std::optional<Meeting> add(const Piece& piece) {
        if (piece.begin < last_.end) {
            return Meeting{last_, piece};
        }
        last_ = piece;
        return std::nullopt;
    }

private:
    Piece last_;
};

// Piece by piece, from all strips at once.
template <class Rule>
std::optional<Meeting> find_among(std::span<const Strip> strips, Rule rule) {
    const auto begins_later = [](const Strip& one, const Strip& other) {
        return one.begin > other.begin;
    };
    std::priority_queue<Strip, std::vector<Strip>, decltype(begins_later)> begun(begins_later);
    for (auto next = strips.begin(); next != strips.end() || !begun.empty();) {
        Strip strip{};
        if (begun.empty() || (next != strips.end() && next->begin <= begun.top().begin)) {
            strip = *next++;
        } else {
            strip = begun.top();
            begun.pop();
        }
        if (auto meeting = rule.add(first_piece(strip))) {
            return meeting;
        }
        if (--strip.count > 0) {
            strip.begin += strip.stride;
            begun.push(strip);
        }
    }
    return std::nullopt;
}

// Strips of one stride, such as the members of an array of structs are: what lies apart within one
// stride lies apart everywhere.
template <class Rule>
bool are_apart_in_each_stride(std::span<const Strip> strips, const Rule& rule) {
    const auto stride = strips.front().stride;
    std::vector<Strip> within;
    for (auto strip : strips) {
        if (strip.stride != stride || strip.length > stride) {
            return false;
        }
        strip.begin = (strip.begin - strips.front().begin) % stride;
        strip.count = 2;  // the second, since the first may reach into the next stride
        within.push_back(strip);
    }
    return !find_among<Rule>(in_order(std::move(within)), rule);
}

// Only strips whose hulls meet, directly or through others, need be looked at piece by piece.
template <class Rule>
std::optional<Meeting> find_meeting(std::vector<Strip> strips, const Rule& rule) {
    strips = in_order(std::move(strips));
    for (auto first = strips.begin(); first != strips.end();) {
        auto end = end_of(*first);
        auto last = std::next(first);
        while (last != strips.end() && last->begin < end) {
            end = std::max(end, end_of(*last));
            ++last;
        }
        if (last - first == 1) {
            first->count = std::min<std::int64_t>(first->count, 2);  // these tell of all others
        }
        const std::span<const Strip> meeting(first, last);
        if (!are_apart_in_each_stride(meeting, rule)) {
            if (auto found = find_among(meeting, rule)) {
                return found;
            }
        }
        first = last;
    }
    return std::nullopt;
}

}  // namespace

bool is_written_twice(std::vector<Strip> strips) {
    std::erase_if(strips, [](const Strip& each) { return !each.written; });
    return find_meeting(std::move(strips), SecondWrites{}).has_value();
}

std::optional<Clash> find_clash(std::vector<Strip> strips) {
    const auto found = find_meeting(std::move(strips), Clashes{});
    if (!found) {
        return std::nullopt;
    }
    const auto& [writer, other] = *found;
    return Clash{.writer = writer.owner, .other = other.owner, .other_writes = other.written};
}

}  // namespace transrank::exchange
