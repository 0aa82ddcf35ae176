// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transrank/route/segment.hpp"

namespace transrank::route {

/// Where the last run of a segment ends, and its length. Unsigned, since differences may wrap.
struct RunEnd {
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    std::uint64_t length = 0;
};

[[nodiscard]] inline RunEnd end_of(const Segment& segment) noexcept {
    const auto length = static_cast<std::uint64_t>(segment.length);
    RunEnd end{.source = static_cast<std::uint64_t>(segment.source) + length,
               .destination = static_cast<std::uint64_t>(segment.destination) + length,
               .length = length};
    const auto pass = [&](const Loop& loop) {
        const auto steps = static_cast<std::uint64_t>(loop.count) - 1;
        end.source += steps * static_cast<std::uint64_t>(loop.source_stride);
        end.destination += steps * static_cast<std::uint64_t>(loop.destination_stride);
    };
    pass(segment.fastest());
    for (const auto& loop : segment.further) {
        pass(loop);
    }
    return end;
}

/// The code of a segment: of its numbers only what differs from the segment before, in the fewest
/// bytes. The first number says in its lowest bits what else differs; its other bits are the
/// distance, or say which numbers follow.
namespace segment_code {

inline constexpr unsigned kind_bits = 2;
enum Kind : std::uint64_t {
    source_apart = 0,       ///< a run of the same length that only its source keeps apart
    destination_apart = 1,  ///< or only its destination
    row = 2,  ///< several of the former at one stride, which follows with their number
    other = 3
};

// Whether a segment of kind `other` has a number for its length, besides its source and its
// destination; the bits above count the loops that follow.
inline constexpr std::uint64_t other_length = 1;
inline constexpr unsigned length_bits = 1;

// The number of a row's runs, less the least one, stands in the lowest bits of its stride, or, if
// it is too large for them, behind it.
inline constexpr unsigned count_bits = 3;
inline constexpr std::uint64_t count_mask = (1U << count_bits) - 1;
inline constexpr std::int64_t least_count = 2;

inline constexpr unsigned number_bits = 7;  ///< of each byte; the eighth says that more follow
inline constexpr std::uint64_t number_mask = (1U << number_bits) - 1;

/// The most bytes of a number, and of a segment of so many loops.
inline constexpr std::size_t most_number_bytes = 10;
[[nodiscard]] constexpr std::size_t most_bytes(std::size_t loops) noexcept {
    return (4 + (3 * loops)) * most_number_bytes;
}

/// Writes a number to where there is room for it; returns where it ends.
[[nodiscard]] inline std::byte* put(std::uint64_t number, std::byte* next) noexcept {
    for (; number > number_mask; number >>= number_bits) {
        *next++ = static_cast<std::byte>(number | (number_mask + 1));
    }
    *next++ = static_cast<std::byte>(number);
    return next;
}

// Numbers around 0 are small ones when their sign is the lowest bit.
[[nodiscard]] inline std::uint64_t folded(std::uint64_t number) noexcept {
    return (number << 1U) ^ (0 - (number >> 63U));
}
[[nodiscard]] inline std::uint64_t unfolded(std::uint64_t number) noexcept {
    return (number >> 1U) ^ (0 - (number & 1U));
}

/// Writes a segment to where there are most_bytes; returns where it ends. `before` is where the
/// last one ended, and then where this one does.
[[nodiscard]] inline std::byte* encode(const Segment& segment, RunEnd& before,
                                       std::byte* next) noexcept {
    const auto from = folded(static_cast<std::uint64_t>(segment.source) - before.source);
    const auto to = folded(static_cast<std::uint64_t>(segment.destination) - before.destination);
    const auto length = static_cast<std::uint64_t>(segment.length);
    const auto source_stride = folded(static_cast<std::uint64_t>(segment.source_stride));
    const bool one_after_the_other = segment.destination_stride == segment.length;
    const bool same_length = length == before.length;
    const bool flat = segment.further.empty();
    const bool single = flat && segment.fastest() == Loop{};
    before = end_of(segment);
    const auto kind = [](Kind which, std::uint64_t rest) { return (rest << kind_bits) | which; };
    constexpr std::uint64_t farthest = UINT64_MAX >> kind_bits;
    if (same_length && single && to == 0 && from <= farthest) {
        return put(kind(source_apart, from), next);
    }
    if (same_length && single && from == 0 && to <= farthest) {
        return put(kind(destination_apart, to), next);
    }
    if (same_length && flat && segment.count >= least_count && to == 0 && from <= farthest &&
        one_after_the_other && source_stride <= (UINT64_MAX >> count_bits)) {
        const auto more = static_cast<std::uint64_t>(segment.count - least_count);
        next = put(kind(row, from), next);
        next = put((source_stride << count_bits) | std::min(more, count_mask), next);
        return more < count_mask ? next : put(more, next);
    }
    const auto loops = single ? 0 : 1 + segment.further.size();
    next = put(kind(other, (loops << length_bits) | (same_length ? 0 : other_length)), next);
    next = put(from, next);
    next = put(to, next);
    if (!same_length) {
        next = put(length, next);
    }
    for (std::size_t i = 0; i < loops; ++i) {
        const auto loop = i == 0 ? segment.fastest() : segment.further[i - 1];
        next = put(static_cast<std::uint64_t>(loop.count), next);
        next = put(folded(static_cast<std::uint64_t>(loop.source_stride)), next);
        next = put(folded(static_cast<std::uint64_t>(loop.destination_stride)), next);
    }
    return next;
}

/// The same of a row that is dense in the destination, sooner if it is short, as long as the last
/// run and where that ended there, and its numbers have two bytes each.
[[nodiscard]] inline std::byte* encode_row(std::int64_t source, std::int64_t destination,
                                           std::int64_t length, std::int64_t count,
                                           std::int64_t stride, RunEnd& before,
                                           std::byte* next) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << (2 * number_bits);
    const bool single = count == 1;
    const std::uint64_t if_row = single ? 0 : ~std::uint64_t{0};
    const auto more = if_row & static_cast<std::uint64_t>(count - least_count);
    const auto from = folded(static_cast<std::uint64_t>(source) - before.source);
    const auto first = (from << kind_bits) | (if_row & Kind::row);
    const auto second = (folded(static_cast<std::uint64_t>(stride)) << count_bits) | more;
    if (std::endian::native != std::endian::little || first >= most || second >= most ||
        from >= most || more >= count_mask || static_cast<std::uint64_t>(length) != before.length ||
        static_cast<std::uint64_t>(destination) != before.destination) {
        return encode({.source = source,
                       .destination = destination,
                       .length = length,
                       .count = count,
                       .source_stride = stride,
                       .destination_stride = single ? 0 : length},
                      before, next);
    }
    before.source = static_cast<std::uint64_t>(source + ((count - 1) * stride) + length);
    before.destination += static_cast<std::uint64_t>(count * length);
    const auto put_short = [&](std::uint64_t number) {
        const std::uint64_t further = number > number_mask ? 1 : 0;
        const auto bytes = static_cast<std::uint16_t>(
            (number & number_mask) | (further << number_bits) | ((number >> number_bits) << 8U));
        std::memcpy(next, &bytes, sizeof(bytes));
        return 1 + further;
    };
    next += put_short(first);
    return next + (put_short(second) & if_row);
}

/// Makes `segment` the next one of those whose numbers `get()` returns one by one.
template <class Get>
void decode(Segment& segment, RunEnd& before, Get& get) {
    const std::uint64_t first = get();
    const std::uint64_t rest = first >> kind_bits;
    const auto moved = [&](std::uint64_t from, std::uint64_t distance) {
        return static_cast<std::int64_t>(from + unfolded(distance));
    };
    segment.source = static_cast<std::int64_t>(before.source);
    segment.destination = static_cast<std::int64_t>(before.destination);
    segment.length = static_cast<std::int64_t>(before.length);
    segment.set_fastest({});
    segment.further.clear();
    switch (first & ((1U << kind_bits) - 1)) {
        case source_apart:
            segment.source = moved(before.source, rest);
            break;
        case destination_apart:
            segment.destination = moved(before.destination, rest);
            break;
        case row: {
            const std::uint64_t stride = get();
            const std::uint64_t more = stride & count_mask;
            segment.source = moved(before.source, rest);
            segment.count =
                least_count + static_cast<std::int64_t>(more < count_mask ? more : get());
            segment.source_stride = moved(0, stride >> count_bits);
            segment.destination_stride = segment.length;
            break;
        }
        default: {
            segment.source = moved(before.source, get());
            segment.destination = moved(before.destination, get());
            if ((rest & other_length) != 0) {
                segment.length = static_cast<std::int64_t>(get());
            }
            const auto loops = rest >> length_bits;
            for (std::uint64_t i = 0; i < loops; ++i) {
                Loop loop{.count = static_cast<std::int64_t>(get())};
                loop.source_stride = moved(0, get());
                loop.destination_stride = moved(0, get());
                if (i == 0) {
                    segment.set_fastest(loop);
                } else {
                    segment.further.push_back(loop);
                }
            }
        }
    }
    before = end_of(segment);
}

/// Reads numbers that are trusted to be whole.
class Trusting {
public:
    explicit Trusting(const std::byte* next) noexcept : next_(next) {}

    [[nodiscard]] const std::byte* next() const noexcept { return next_; }
    std::uint64_t operator()() noexcept {
        auto part = std::to_integer<std::uint64_t>(*next_++);
        if (part <= number_mask) {
            return part;
        }
        std::uint64_t number = part & number_mask;
        for (unsigned shift = number_bits; part > number_mask && shift < 64; shift += number_bits) {
            part = std::to_integer<std::uint64_t>(*next_++);
            number |= (part & number_mask) << shift;
        }
        return number;
    }

private:
    const std::byte* next_;
};

/// Bytes that there are behind the code of the last segment.
inline constexpr std::size_t slack_bytes = 4;

/// Takes what encode_row has written sooner, without branches, which random rows would mislead;
/// nothing where the next segment is another one.
[[nodiscard]] inline bool decode_row(Row& row, RunEnd& before, Trusting& next) noexcept {
    struct Short {
        std::uint64_t number;
        std::uint64_t bytes;
        std::uint64_t goes_on;
    };
    const auto take = [](std::uint64_t code) {
        const auto further = (code >> number_bits) & 1U;
        const auto high = (code >> 1U) & (number_mask << number_bits);
        return Short{.number = (code & number_mask) | (high & (0 - further)),
                     .bytes = 1 + further,
                     .goes_on = further & (code >> ((2 * number_bits) + 1))};
    };
    std::uint32_t code = 0;
    static_assert(sizeof(code) == slack_bytes);
    std::memcpy(&code, next.next(), sizeof(code));
    const auto first = take(code);
    const auto second = take(code >> (8 * first.bytes));
    const auto if_row = 0 - ((first.number >> 1U) & 1U);
    const auto more = second.number & count_mask;
    const std::uint64_t too_many = more == count_mask ? 1 : 0;
    if (std::endian::native != std::endian::little ||
        (first.goes_on | (first.number & 1U) | (if_row & (second.goes_on | too_many))) != 0) {
        return false;
    }
    const auto steps = if_row & (static_cast<std::uint64_t>(least_count) - 1 + more);
    const auto stride = if_row & unfolded(second.number >> count_bits);
    const auto source = before.source + unfolded(first.number >> kind_bits);
    row = {.source = static_cast<std::int64_t>(source),
           .destination = static_cast<std::int64_t>(before.destination),
           .length = static_cast<std::int64_t>(before.length),
           .count = 1 + static_cast<std::int64_t>(steps),
           .source_stride = static_cast<std::int64_t>(stride),
           .destination_stride = static_cast<std::int64_t>(if_row & before.length)};
    before.source = source + (steps * stride) + before.length;
    before.destination += (1 + steps) * before.length;
    next = Trusting(next.next() + first.bytes + (if_row & second.bytes));
    return true;
}

}  // namespace segment_code
}  // namespace transrank::route
