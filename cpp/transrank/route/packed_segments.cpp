// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/packed_segments.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "transrank/layout/require.hpp"

namespace transrank::route {
namespace {

constexpr int number_bits = 7;  // of each byte; the eighth says that more follow
constexpr std::uint64_t number_mask = (1U << number_bits) - 1;

// What the head of a segment says.
constexpr std::uint64_t other_length = 1;
constexpr std::uint64_t several = 2;
constexpr std::uint64_t not_behind = 4;  ///< its destination is not where the one before it ends

/// Unsigned, since differences may wrap.
struct Fields {
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    std::uint64_t length = 0;
};

/// Where the last run of a segment ends.
Fields end_of(const Segment& segment) {
    const auto steps = static_cast<std::uint64_t>(segment.count) - 1;
    const auto length = static_cast<std::uint64_t>(segment.length);
    const auto end = [&](std::int64_t begin, std::int64_t stride) {
        return static_cast<std::uint64_t>(begin) + (steps * static_cast<std::uint64_t>(stride)) +
               length;
    };
    return {.source = end(segment.source, segment.source_stride),
            .destination = end(segment.destination, segment.destination_stride),
            .length = length};
}

class Packer {
public:
    explicit Packer(std::size_t segments) { put(segments); }

    void add(const Segment& segment) {
        const auto from = static_cast<std::uint64_t>(segment.source) - before_.source;
        const auto to = static_cast<std::uint64_t>(segment.destination) - before_.destination;
        const auto length = static_cast<std::uint64_t>(segment.length);
        put((length != before_.length ? other_length : 0) | (segment.count != 1 ? several : 0) |
            (to != 0 ? not_behind : 0));
        if (length != before_.length) {
            put(length);
        }
        put_signed(from);
        if (to != 0) {
            put_signed(to);
        }
        if (segment.count != 1) {
            put(static_cast<std::uint64_t>(segment.count));
            put_signed(static_cast<std::uint64_t>(segment.source_stride));
            put_signed(static_cast<std::uint64_t>(segment.destination_stride));
        }
        before_ = end_of(segment);
    }
    [[nodiscard]] std::vector<std::byte> bytes() && { return std::move(bytes_); }

private:
    void put(std::uint64_t number) {
        for (; number > number_mask; number >>= number_bits) {
            bytes_.push_back(static_cast<std::byte>(number | (number_mask + 1)));
        }
        bytes_.push_back(static_cast<std::byte>(number));
    }
    // Numbers around 0 become small ones.
    void put_signed(std::uint64_t number) { put((number << 1U) ^ (0 - (number >> 63U))); }

    Fields before_;
    std::vector<std::byte> bytes_;
};

class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : left_(bytes) {}

    /// The number of segments, with which the bytes begin; each of them takes some.
    std::size_t take_count() {
        const auto count = get();
        layout::require(count <= left_.size(), "packed segments are ", count, ", but in ",
                        left_.size(), " bytes");
        return static_cast<std::size_t>(count);
    }
    Segment take() {
        const auto head = get();
        Fields found = before_;
        if ((head & other_length) != 0) {
            found.length = get();
        }
        found.source += get_signed();
        if ((head & not_behind) != 0) {
            found.destination += get_signed();
        }
        Segment segment{.source = static_cast<std::int64_t>(found.source),
                        .destination = static_cast<std::int64_t>(found.destination),
                        .length = static_cast<std::int64_t>(found.length)};
        if ((head & several) != 0) {
            segment.count = static_cast<std::int64_t>(get());
            segment.source_stride = static_cast<std::int64_t>(get_signed());
            segment.destination_stride = static_cast<std::int64_t>(get_signed());
        }
        before_ = end_of(segment);
        return segment;
    }

private:
    std::uint64_t get() {
        std::uint64_t number = 0;
        for (int shift = 0; shift < 64; shift += number_bits) {
            layout::require(!left_.empty(), "packed segments end within a number");
            const auto part = std::to_integer<std::uint64_t>(left_.front());
            left_ = left_.subspan(1);
            number |= (part & number_mask) << static_cast<unsigned>(shift);
            if (part <= number_mask) {
                break;
            }
        }
        return number;
    }
    std::uint64_t get_signed() {
        const auto number = get();
        return (number >> 1U) ^ (0 - (number & 1U));
    }

    Fields before_;
    std::span<const std::byte> left_;
};

}  // namespace

std::vector<std::byte> packed(std::span<const Segment> segments) {
    Packer packer(segments.size());
    for (const auto& segment : segments) {
        packer.add(segment);
    }
    return std::move(packer).bytes();
}

std::vector<Segment> unpacked(std::span<const std::byte> bytes) {
    Unpacker unpacker(bytes);
    std::vector<Segment> segments(unpacker.take_count());
    for (auto& segment : segments) {
        segment = unpacker.take();
    }
    return segments;
}

}  // namespace transrank::route
