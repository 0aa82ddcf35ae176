// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/segments.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "transrank/layout/require.hpp"
#include "transrank/route/checksum.hpp"

namespace transrank::route {
namespace {

/// What the runs of a well formed segment are on one side.
struct Side {
    std::int64_t end;            ///< of the last one
    bool counted = true;         ///< whether 64 bits count that
    std::int64_t stretches = 1;  ///< of runs one after the other
    bool ascends = true;         ///< whether none begins before the last one ended
};

Side side_of(const Segment& segment, std::int64_t begin, std::int64_t Loop::* stride) {
    Side side{.end = segment.length};
    const auto add = [&](const Loop& loop) {
        // The next step of a loop follows the last run of what is within it.
        const auto steps = loop.count - 1;
        side.stretches *= loop.count;
        side.stretches -= loop.*stride == side.end ? steps : 0;
        side.ascends = side.ascends && loop.*stride >= (steps == 0 ? 0 : side.end);
        std::int64_t passed = 0;
        side.counted = !__builtin_mul_overflow(steps, loop.*stride, &passed) &&
                       !__builtin_add_overflow(side.end, passed, &side.end) && side.counted;
    };
    add(segment.fastest());
    std::ranges::for_each(segment.further, add);
    side.counted = !__builtin_add_overflow(side.end, begin, &side.end) && side.counted;
    return side;
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

}  // namespace

bool is_well_formed(const Segment& segment) noexcept {
    const auto [count, source_stride, destination_stride] = segment.fastest();
    auto units = segment.length;
    bool fits = !__builtin_mul_overflow(units, count, &units);
    for (const auto& loop : segment.further) {
        fits = fits && count > 1 && loop.count > 1 && loop.source_stride >= 0 &&
               loop.destination_stride >= 0 && !__builtin_mul_overflow(units, loop.count, &units);
    }
    return fits && segment.length >= 1 && count >= 1 && segment.source >= 0 &&
           segment.destination >= 0 && source_stride >= 0 && destination_stride >= 0 &&
           (count > 1 || (source_stride == 0 && destination_stride == 0));
}

void Outline::add(const Segment& segment, const RunEnd& before) noexcept {
    const bool first = segments == 0;
    ++segments;
    if (!is_well_formed(segment)) {
        ++ill_formed;
        return;
    }
    const auto source = side_of(segment, segment.source, &Loop::source_stride);
    const auto destination = side_of(segment, segment.destination, &Loop::destination_stride);
    const auto last_destination = static_cast<std::int64_t>(before.destination);
    if (!source.counted || !destination.counted ||
        __builtin_add_overflow(units, segment.units(), &units)) {
        ++ill_formed;
        return;
    }
    runs += segment.runs();
    source_stretches +=
        source.stretches -
        (!first && segment.source == static_cast<std::int64_t>(before.source) ? 1 : 0);
    destination_stretches +=
        destination.stretches - (!first && segment.destination == last_destination ? 1 : 0);
    const bool ascends = (first || segment.destination >= last_destination) && destination.ascends;
    descents += ascends ? 0 : 1;
    source_end = std::max(source_end, source.end);
    destination_end = std::max(destination_end, destination.end);
    shortest_run = first ? segment.length : std::min(shortest_run, segment.length);
    longest_run = std::max(longest_run, segment.length);
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
    std::byte* const begin = room(1 + segment.further.size());
    summary.outline.add(segment, summary.last);
    used += static_cast<std::size_t>(segment_code::encode(segment, summary.last, begin) - begin);
    ++count;
}

void Segments::Coded::shrink_to_fit() {
    memory.resize(used + segment_code::slack_bytes);
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
    std::size_t bytes = first_.capacity() * sizeof(Segment);
    for (const auto& segment : first_) {
        bytes += segment.further.capacity() * sizeof(Loop);
    }
    return bytes + (rest_ ? sizeof(Coded) + rest_->memory.capacity() : 0);
}

// The first ones in their code. Of the further ones, which may be millions, what they are together
// goes with them, so that they need not be decoded to be checked.
std::vector<std::byte> Segments::packed() const {
    using namespace segment_code;
    static_assert(std::has_unique_object_representations_v<Summary>, "padding would be sent");
    const auto further = rest_ ? most_number_bytes + sizeof(Summary) + rest_->used : 0;
    auto most = most_number_bytes + further;
    for (const auto& segment : first_) {
        most += most_bytes(1 + segment.further.size());
    }
    std::vector<std::byte> bytes(most);
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
        segment_code::decode(made.first_.emplace_back(), before, next);
    }
    if (count > most_plain) {
        const auto coded_bytes = next();
        const auto left = next.left();
        layout::require(left.size() >= sizeof(Summary) &&
                            left.size() - sizeof(Summary) == coded_bytes &&
                            coded_bytes >= count - most_plain,
                        "packed segments have another length than they say");
        const auto coded = left.subspan(sizeof(Summary));
        made.rest_ = std::make_shared<Coded>(
            Coded{.memory = std::vector<std::byte>(coded.size() + segment_code::slack_bytes),
                  .used = coded.size(),
                  .count = count - most_plain,
                  .summary = {}});
        std::ranges::copy(coded, made.rest_->memory.begin());
        std::memcpy(&made.rest_->summary, left.data(), sizeof(Summary));
    }
    return made;
}

std::uint64_t Segments::checksum() const {
    auto bytes = packed();
    std::uint64_t word = 0;
    bytes.resize((bytes.size() + sizeof(word) - 1) / sizeof(word) * sizeof(word));
    Checksum sum;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(word)) {
        std::memcpy(&word, bytes.data() + at, sizeof(word));
        sum.add(word);
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
