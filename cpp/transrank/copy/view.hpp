// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "transrank/route/segment.hpp"

namespace transrank::copy {

/// Where the bytes of an array lie that do not lie one after the other. They have positions: those
/// of an array of the same shape in C order.
class View {
public:
    /// `count` steps of `stride` bytes, which may be negative.
    struct Dimension {
        std::int64_t count = 1;
        std::int64_t stride = 0;

        friend bool operator==(const Dimension&, const Dimension&) = default;
    };
    /// A distance in bytes from the first element, and how many bytes follow one after the other.
    struct Place {
        std::int64_t distance;
        std::int64_t left;
    };

    /// Of elements of `element_bytes`, the slowest dimension first; nullptr where they lie one
    /// after the other. Throws std::invalid_argument for numbers that are negative or do not fit.
    [[nodiscard]] static std::shared_ptr<const View> of(std::vector<Dimension> dimensions,
                                                        std::int64_t element_bytes);

    [[nodiscard]] Place at(std::int64_t position) const noexcept;
    /// The bytes of all elements.
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
    /// The memory that they lie in begins and ends at these distances from the first element.
    [[nodiscard]] std::int64_t begin() const noexcept { return begin_; }
    [[nodiscard]] std::int64_t end() const noexcept { return end_; }
    /// A divisor of all distances and of the lengths of all pieces.
    [[nodiscard]] std::int64_t grain() const noexcept { return grain_; }
    /// Whether elements certainly lie apart: each dimension steps over all that the shorter steps
    /// reach.
    [[nodiscard]] bool lies_apart() const;

    friend bool operator==(const View& one, const View& other) noexcept {
        return one.dimensions_ == other.dimensions_ && one.piece_bytes_ == other.piece_bytes_;
    }

private:
    View(std::vector<Dimension> dimensions, std::int64_t piece_bytes);

    std::vector<Dimension> dimensions_;  ///< the slowest first, none of one step
    std::int64_t piece_bytes_;           ///< one after the other
    std::int64_t bytes_ = 0;
    std::int64_t begin_ = 0;
    std::int64_t end_ = 0;
    std::int64_t grain_ = 0;
};

/// The same where a view is nullptr: one after the other.
[[nodiscard]] inline View::Place place_in(const View* view, std::int64_t position) noexcept {
    return view != nullptr ? view->at(position)
                           : View::Place{.distance = position,
                                         .left = std::numeric_limits<std::int64_t>::max()};
}

/// Takes pieces in their order, and calls `emit` with rows, in bytes, that they make up.
template <class Emit>
class JoinedPieces {
public:
    explicit JoinedPieces(const Emit& emit) : emit_(emit) {}

    /// `bytes` from one position among the bytes of a source to one among those of a destination.
    void add(const View* source, std::int64_t from, const View* destination, std::int64_t to,
             std::int64_t bytes) {
        while (bytes > 0) {
            const auto here = place_in(source, from);
            const auto there = place_in(destination, to);
            const auto piece = std::min({bytes, here.left, there.left});
            join({.source = here.distance, .destination = there.distance, .length = piece});
            from += piece;
            to += piece;
            bytes -= piece;
        }
    }
    /// To be called once, after the last.
    void finish() {
        if (last_.length > 0) {
            emit_(last_);
        }
    }

private:
    void join(const route::Row& piece) {
        const auto source_step = piece.source - last_.source;
        const auto destination_step = piece.destination - last_.destination;
        if (piece.length != last_.length) {
            finish();
            last_ = piece;
        } else if (last_.count == 1) {
            last_.source_stride = source_step;
            last_.destination_stride = destination_step;
            last_.count = 2;
        } else if (source_step == last_.count * last_.source_stride &&
                   destination_step == last_.count * last_.destination_stride) {
            ++last_.count;
        } else {
            finish();
            last_ = piece;
        }
    }

    const Emit& emit_;
    route::Row last_;
};

}  // namespace transrank::copy
