// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/strips.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

namespace transrank::exchange {
namespace {

constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();

struct Range {
    std::int64_t begin;
    std::int64_t end;
};

struct Piece {
    std::int64_t begin;
    std::int64_t end;
    bool written;
};

// From its first place to its last.
Range hull_of(const Strip& strip) {
    const auto last = strip.begin + ((strip.count - 1) * strip.stride);
    return {.begin = std::min(strip.begin, last),
            .end = std::max(strip.begin, last) + strip.length};
}

bool overlaps_itself(const Strip& strip) {
    return strip.count > 1 && std::abs(strip.stride) < strip.length;
}

std::vector<Piece> pieces_of(std::span<const Strip> strips) {
    std::vector<Piece> pieces;
    for (const auto& strip : strips) {
        for (std::int64_t i = 0; i < strip.count; ++i) {
            const auto begin = strip.begin + (i * strip.stride);
            pieces.push_back(
                {.begin = begin, .end = begin + strip.length, .written = strip.written});
        }
    }
    std::ranges::sort(pieces, {}, &Piece::begin);
    return pieces;
}

/// Which meeting of two places counts.
enum class Conflict : std::uint8_t { written_twice, written_and_read };

bool conflict_among(std::span<const Strip> strips, Conflict conflict) {
    std::int64_t end_of_reads = before_all;
    std::int64_t end_of_writes = before_all;
    for (const auto& piece : pieces_of(strips)) {
        const bool meets_read = piece.begin < end_of_reads;
        const bool meets_write = piece.begin < end_of_writes;
        if (conflict == Conflict::written_twice ? piece.written && meets_write
                                                : (piece.written ? meets_read : meets_write)) {
            return true;
        }
        auto& end = piece.written ? end_of_writes : end_of_reads;
        end = std::max(end, piece.end);
    }
    return false;
}

// Only strips whose hulls meet, directly or through others, need be looked at piece by piece.
bool has_conflict(std::vector<Strip> strips, Conflict conflict) {
    std::erase_if(strips, [](const Strip& each) { return each.length == 0 || each.count == 0; });
    std::ranges::sort(strips, {}, [](const Strip& each) { return hull_of(each).begin; });
    for (auto first = strips.begin(); first != strips.end();) {
        auto end = hull_of(*first).end;
        auto last = std::next(first);
        while (last != strips.end() && hull_of(*last).begin < end) {
            end = std::max(end, hull_of(*last).end);
            ++last;
        }
        const bool alone = last - first == 1;
        if (alone ? conflict == Conflict::written_twice && overlaps_itself(*first)
                  : conflict_among({first, last}, conflict)) {
            return true;
        }
        first = last;
    }
    return false;
}

}  // namespace

bool is_written_twice(std::vector<Strip> strips) {
    std::erase_if(strips, [](const Strip& each) { return !each.written; });
    return has_conflict(std::move(strips), Conflict::written_twice);
}

bool is_written_where_read(std::vector<Strip> strips) {
    return has_conflict(std::move(strips), Conflict::written_and_read);
}

}  // namespace transrank::exchange
