// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transrank/route/segment.hpp"
#include "transrank/route/segment_code.hpp"

namespace transrank::route {

/// What segments are together.
struct Outline {
    std::int64_t segments = 0;
    std::int64_t units = 0;
    std::int64_t runs = 0;
    std::int64_t shortest_run = 0;
    std::int64_t longest_run = 0;
    /// Where their last runs end.
    std::int64_t source_end = 0;
    std::int64_t destination_end = 0;
    /// In how many stretches they lie, of runs one after the other.
    std::int64_t source_stretches = 0;
    std::int64_t destination_stretches = 0;
    /// How many are not well formed (is_well_formed), or have units or ends that 64 bits cannot
    /// count.
    std::int64_t ill_formed = 0;
    /// How many begin, in the destination, before the last run ended, or have runs that do. None:
    /// all runs ascend.
    std::int64_t descents = 0;

    /// `before` is where the last one ended.
    void add(const Segment& segment, const RunEnd& before) noexcept;
    friend bool operator==(const Outline&, const Outline&) = default;
};

/// Whether no number is negative, there is something in it, a single run has neither strides nor
/// further loops, which have two steps at least, and 64 bits count its units.
[[nodiscard]] bool is_well_formed(const Segment& segment) noexcept;

/// Segments in an order. The first few, which are all that regular layouts have, stand as they are;
/// further ones take one to five bytes each where they are single rows of one length, and are read
/// one after the other. Copies share them until one of the copies grows.
class Segments {
public:
    class Iterator;
    class Rows;

    Segments() = default;
    Segments(std::initializer_list<Segment> all)  // NOLINT(google-explicit-constructor)
        : Segments(std::vector<Segment>(all)) {}
    Segments(std::vector<Segment> all);  // NOLINT(google-explicit-constructor)

    void push_back(const Segment& segment);
    void append(const Segments& others);
    /// Gives back memory kept for more.
    void shrink_to_fit();

    [[nodiscard]] bool empty() const noexcept { return first_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept {
        return first_.size() + (rest_ ? rest_->count : 0);
    }
    /// Whether what comes next is kept in its code.
    [[nodiscard]] bool has_code() const noexcept { return first_.size() == most_plain; }
    [[nodiscard]] const Segment& front() const noexcept { return first_.front(); }
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;
    /// Calls `visit_row` with each segment that has no further loops, as a row, and `visit_nest`
    /// with the others, in their order; sooner than the iterator where rows are random.
    template <class VisitRow, class VisitNest>
    void visit(const VisitRow& visit_row, const VisitNest& visit_nest) const;

    [[nodiscard]] Outline outline() const noexcept;
    /// Bytes in memory, without those of the object.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    /// For messages between ranks of one program.
    [[nodiscard]] std::vector<std::byte> packed() const;
    /// The segments again. Throws std::invalid_argument when the bytes end too early; what lies in
    /// the code of segments beyond the first few is trusted.
    [[nodiscard]] static Segments unpacked(std::span<const std::byte> bytes);

    /// A checksum of all numbers.
    [[nodiscard]] std::uint64_t checksum() const;

    friend bool operator==(const Segments& one, const Segments& other) noexcept;

private:
    static constexpr std::size_t most_plain = 32;
    struct Summary {
        RunEnd last;
        Outline outline;  ///< the first ones included
    };
    struct Coded {
        std::vector<std::byte> memory;
        std::size_t used = 0;  ///< bytes of it
        std::size_t count = 0;
        Summary summary;

        void push_back(const Segment& segment);
        void shrink_to_fit();
        /// For one more segment.
        [[nodiscard]] std::byte* room(std::size_t loops) {
            const auto most = segment_code::most_bytes(loops) + segment_code::slack_bytes;
            if (memory.size() - used < most) {
                memory.resize((2 * memory.size()) + most);
            }
            return memory.data() + used;
        }
        [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
            return std::span(memory).first(used);
        }
    };
    [[nodiscard]] Coded& coded();

    std::vector<Segment> first_;
    std::shared_ptr<Coded> rest_;  ///< nullptr: nothing
};

/// Adds well-formed rows, dense in the destination, to segments that have code. What is known of
/// them together is for the user to add to the outline, but for their number.
class Segments::Rows {
public:
    explicit Rows(Segments& all) : coded_(all.coded()), last_(coded_.summary.last) {}
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() { coded_.summary.last = last_; }

    [[nodiscard]] Outline& outline() noexcept { return coded_.summary.outline; }
    /// Where the last one ended.
    [[nodiscard]] const RunEnd& last() const noexcept { return last_; }
    void add(std::int64_t source, std::int64_t destination, std::int64_t length, std::int64_t count,
             std::int64_t stride) {
        std::byte* const begin = coded_.room(1);
        std::byte* const end =
            segment_code::encode_row(source, destination, length, count, stride, last_, begin);
        coded_.used += static_cast<std::size_t>(end - begin);
        ++coded_.count;
        ++outline().segments;
    }

private:
    Coded& coded_;
    RunEnd last_;
};

/// Reads segments; what it refers to is there until it moves on.
class Segments::Iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Segment;
    using difference_type = std::ptrdiff_t;
    using pointer = const Segment*;
    using reference = const Segment&;

    Iterator() = default;
    [[nodiscard]] reference operator*() const noexcept { return plain_ != end_ ? *plain_ : coded_; }
    [[nodiscard]] pointer operator->() const noexcept { return &**this; }
    Iterator& operator++() noexcept {
        if (plain_ != end_) {
            ++plain_;
        }
        if (plain_ == end_) {
            take();
        }
        return *this;
    }
    Iterator operator++(int) noexcept {
        auto before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const Iterator& one, const Iterator& other) noexcept {
        return one.plain_ == other.plain_ && one.left_ == other.left_;
    }

private:
    friend class Segments;
    explicit Iterator(const Segments& all) noexcept
        : plain_(all.first_.data()), end_(plain_ + all.first_.size()), left_(1) {
        if (all.rest_) {
            left_ += all.rest_->count;
            next_ = segment_code::Trusting(all.rest_->memory.data());
            before_ = end_of(all.first_.back());
        }
        if (plain_ == end_) {
            left_ = 0;
        }
    }
    void take() noexcept {
        --left_;
        if (left_ > 0) {
            segment_code::decode(coded_, before_, next_);
        }
    }

    const Segment* plain_ = nullptr;
    const Segment* end_ = nullptr;
    std::size_t left_ = 0;  ///< coded ones, this one included; one more as long as it is plain
    segment_code::Trusting next_{nullptr};
    RunEnd before_;
    Segment coded_;
};

inline Segments::Iterator Segments::begin() const noexcept {
    return Iterator(*this);
}

inline Segments::Iterator Segments::end() const noexcept {
    Iterator end;
    end.plain_ = end.end_ = first_.data() + first_.size();
    return end;
}

template <class VisitRow, class VisitNest>
void Segments::visit(const VisitRow& visit_row, const VisitNest& visit_nest) const {
    segment_code::Trusting next(rest_ ? rest_->memory.data() : nullptr);
    auto before = first_.empty() ? RunEnd{} : end_of(first_.back());
    Segment decoded;
    for (std::size_t i = 0; i < size(); ++i) {
        const bool plain = i < first_.size();
        Row row;
        if (plain || !segment_code::decode_row(row, before, next)) {
            if (!plain) {
                segment_code::decode(decoded, before, next);
            }
            const auto& segment = plain ? first_[i] : decoded;
            if (!segment.further.empty()) {
                visit_nest(segment);
                continue;
            }
            row = row_of(segment);
        }
        visit_row(row);
    }
}

/// The segments, each as `change` makes it.
template <class Change>
[[nodiscard]] Segments changed(const Segments& all, const Change& change) {
    Segments made;
    for (auto segment : all) {
        change(segment);
        made.push_back(segment);
    }
    made.shrink_to_fit();
    return made;
}

/// The same the other way round.
[[nodiscard]] inline Segments turned(const Segments& all) {
    return changed(all, [](Segment& segment) {
        std::swap(segment.source, segment.destination);
        std::swap(segment.source_stride, segment.destination_stride);
        for (auto& loop : segment.further) {
            std::swap(loop.source_stride, loop.destination_stride);
        }
    });
}

}  // namespace transrank::route
