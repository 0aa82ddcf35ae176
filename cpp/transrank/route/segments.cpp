// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/segments.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "transrank/layout/require.hpp"
#include "transrank/route/checksum.hpp"

namespace transrank::route {
namespace {

// Numbers that wrap where segments are not well formed.
std::int64_t sum(std::int64_t one, std::int64_t other) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) +
                                     static_cast<std::uint64_t>(other));
}
std::int64_t product(std::int64_t one, std::int64_t other) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) *
                                     static_cast<std::uint64_t>(other));
}

/// Reads numbers of bytes that come from elsewhere.
class Checking {
public:
    explicit Checking(std::span<const std::byte> bytes) : left_(bytes) {}

    std::uint64_t operator()() {
        using namespace segment_code;
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += number_bits) {
            layout::require(!left_.empty(), "packed segments end within a number");
            const auto part = std::to_integer<std::uint64_t>(left_.front());
            left_ = left_.subspan(1);
            number |= (part & number_mask) << shift;
            if (part <= number_mask) {
                break;
            }
        }
        return number;
    }
    [[nodiscard]] std::span<const std::byte> left() const noexcept { return left_; }

private:
    std::span<const std::byte> left_;
};

void add(const Segment& segment, Checksum& checksum) {
    for (const std::int64_t number :
         {segment.source, segment.destination, segment.length, segment.count, segment.source_stride,
          segment.destination_stride}) {
        checksum.add(static_cast<std::uint64_t>(number));
    }
}

void add(std::span<const std::byte> bytes, Checksum& checksum) {
    std::uint64_t word = 0;
    for (; bytes.size() >= sizeof(word); bytes = bytes.subspan(sizeof(word))) {
        std::memcpy(&word, bytes.data(), sizeof(word));
        checksum.add(std::endian::native == std::endian::little ? word : __builtin_bswap64(word));
    }
    word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    checksum.add(word);
}

}  // namespace

bool is_well_formed(const Segment& segment) noexcept {
    const auto& [source, destination, length, count, source_stride, destination_stride] = segment;
    std::int64_t units = 0;
    return length >= 1 && count >= 1 && source >= 0 && destination >= 0 && source_stride >= 0 &&
           destination_stride >= 0 &&
           (count == 1 ? source_stride == 0 && destination_stride == 0
                       : !__builtin_mul_overflow(length, count, &units));
}

void Outline::add(const Segment& segment, const RunEnd& before) noexcept {
    const auto end = end_of(segment);
    const auto source_last = static_cast<std::int64_t>(end.source);
    const auto destination_last = static_cast<std::int64_t>(end.destination);
    const auto last_destination = static_cast<std::int64_t>(before.destination);
    const auto steps = sum(segment.count, -1);
    std::int64_t passed = 0;
    // An end that 64 bits cannot count has wrapped.
    const bool counted =
        is_well_formed(segment) && source_last >= segment.source &&
        destination_last >= segment.destination &&
        (steps == 0 || (!__builtin_mul_overflow(steps, segment.source_stride, &passed) &&
                        !__builtin_mul_overflow(steps, segment.destination_stride, &passed))) &&
        !__builtin_add_overflow(units, segment.units(), &passed);
    ill_formed += counted ? 0 : 1;
    const bool first = segments == 0;
    units = sum(units, product(segment.length, segment.count));
    runs = sum(runs, segment.count);
    source_stretches = sum(source_stretches, segment.source_stride == segment.length ? 0 : steps);
    source_stretches =
        sum(source_stretches,
            !first && segment.source == static_cast<std::int64_t>(before.source) ? 0 : 1);
    destination_stretches =
        sum(destination_stretches, segment.destination_stride == segment.length ? 0 : steps);
    destination_stretches =
        sum(destination_stretches, !first && segment.destination == last_destination ? 0 : 1);
    const bool ascends = (first || segment.destination >= last_destination) &&
                         (steps == 0 || segment.destination_stride >= segment.length);
    descents += ascends ? 0 : 1;
    source_end = std::max(source_end, source_last);
    destination_end = std::max(destination_end, destination_last);
    shortest_run = first ? segment.length : std::min(shortest_run, segment.length);
    longest_run = std::max(longest_run, segment.length);
    ++segments;
}

Segments::Segments(std::vector<Segment> all) {
    if (all.size() <= most_plain) {
        first_ = std::move(all);
        return;
    }
    first_.reserve(most_plain);
    for (const auto& segment : all) {
        push_back(segment);
    }
}

Segments::Coded& Segments::coded() {
    if (!rest_) {
        rest_ = std::make_shared<Coded>(
            Coded{.memory = {}, .summary = {.last = end_of(first_.back()), .outline = outline()}});
    } else if (rest_.use_count() > 1) {
        rest_ = std::make_shared<Coded>(*rest_);
    }
    return *rest_;
}

void Segments::push_back(const Segment& segment) {
    if (first_.size() < most_plain) {
        first_.push_back(segment);
        return;
    }
    coded().push_back(segment);
}

void Segments::Coded::push_back(const Segment& segment) {
    std::byte* const begin = room();
    summary.outline.add(segment, summary.last);
    used += static_cast<std::size_t>(segment_code::encode(segment, summary.last, begin) - begin);
    ++count;
}

void Segments::Coded::shrink_to_fit() {
    memory.resize(used);
    memory.shrink_to_fit();
}

void Segments::append(const Segments& others) {
    for (const auto& segment : others) {
        push_back(segment);
    }
}

void Segments::shrink_to_fit() {
    first_.shrink_to_fit();
    if (rest_ && rest_.use_count() == 1) {
        rest_->shrink_to_fit();
    }
}

Outline Segments::outline() const noexcept {
    if (rest_) {
        return rest_->summary.outline;
    }
    Outline made;
    RunEnd before;
    for (const auto& segment : first_) {
        made.add(segment, before);
        before = end_of(segment);
    }
    return made;
}

std::size_t Segments::memory_bytes() const noexcept {
    return (first_.capacity() * sizeof(Segment)) +
           (rest_ ? sizeof(Coded) + rest_->memory.capacity() : 0);
}

// The first ones in their code. Of the further ones, which may be millions, what they are together
// goes with them, so that they need not be decoded to be checked.
std::vector<std::byte> Segments::packed() const {
    using namespace segment_code;
    static_assert(std::has_unique_object_representations_v<Summary>, "padding would be sent");
    const auto further = rest_ ? most_number_bytes + sizeof(Summary) + rest_->used : 0;
    std::vector<std::byte> bytes(most_number_bytes + (first_.size() * most_bytes) + further);
    std::byte* next = put(size(), bytes.data());
    RunEnd before;
    for (const auto& segment : first_) {
        next = encode(segment, before, next);
    }
    if (rest_) {
        next = put(rest_->used, next);
        next = std::ranges::copy(std::as_bytes(std::span(&rest_->summary, 1)), next).out;
        next = std::ranges::copy(rest_->bytes(), next).out;
    }
    bytes.resize(static_cast<std::size_t>(next - bytes.data()));
    return bytes;
}

Segments Segments::unpacked(std::span<const std::byte> bytes) {
    Checking next(bytes);
    const auto count = next();
    layout::require(count <= next.left().size(), "packed segments are ", count, ", but in ",
                    next.left().size(), " bytes");
    Segments made;
    RunEnd before;
    const auto plain = std::min<std::size_t>(count, most_plain);
    made.first_.reserve(plain);
    while (made.first_.size() < plain) {
        made.first_.push_back(segment_code::decode(before, next));
    }
    if (count > most_plain) {
        const auto coded_bytes = next();
        const auto left = next.left();
        layout::require(left.size() >= sizeof(Summary) &&
                            left.size() - sizeof(Summary) == coded_bytes &&
                            coded_bytes >= count - most_plain,
                        "packed segments have another length than they say");
        const auto coded = left.subspan(sizeof(Summary));
        made.rest_ = std::make_shared<Coded>(Coded{.memory = {coded.begin(), coded.end()},
                                                   .used = coded.size(),
                                                   .count = count - most_plain,
                                                   .summary = {}});
        std::memcpy(&made.rest_->summary, left.data(), sizeof(Summary));
    }
    return made;
}

std::uint64_t Segments::checksum() const noexcept {
    Checksum sum;
    for (const auto& segment : first_) {
        add(segment, sum);
    }
    if (rest_) {
        add(rest_->bytes(), sum);
    }
    return sum.value();
}

bool operator==(const Segments& one, const Segments& other) noexcept {
    const auto same_rest = [&] {
        return one.rest_ == other.rest_ ||
               (one.rest_ && other.rest_ &&
                std::ranges::equal(one.rest_->bytes(), other.rest_->bytes()));
    };
    return one.first_ == other.first_ && same_rest();
}

}  // namespace transrank::route
