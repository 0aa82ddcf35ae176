// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "datatype.hpp"
#include "transrank/copy/runs.hpp"

namespace transrank::carry {

/// The bytes of some elements of a datatype in the order of its type map, copied bit by bit to or
/// from a buffer. The datatype must live as long.
class Stream {
public:
    Stream() = default;
    Stream(const Datatype& type, std::byte* base, std::int64_t count)
        : pieces_(type.pieces.data()),
          number_(type.pieces.size()),
          extent_(type.extent),
          base_(base),
          left_(type.bytes * count) {
        if (number_ == 1) {  // all elements as one piece, if they can be
            one_ = *pieces_;
            is_one_ = one_.repeat(count, extent_);
        }
        if (left_ > 0) {
            begin_piece();
        }
    }

    [[nodiscard]] std::int64_t left() const { return left_; }

    void pack(std::byte* to, std::int64_t bytes) {
        step(bytes, [&](const copy::ByteRuns& runs, std::byte* from) {
            copy::copy_runs(runs, from, to);
            to += runs.length * runs.count;
        });
    }
    void unpack(const std::byte* from, std::int64_t bytes) {
        step(bytes, [&](const copy::ByteRuns& runs, std::byte* to) {
            copy::copy_runs(turned(runs), from, to);
            from += runs.length * runs.count;
        });
    }

private:
    [[nodiscard]] const Piece& piece() const { return is_one_ ? one_ : pieces_[piece_]; }
    [[nodiscard]] Piece::Loop row() const {
        return piece().depth == 0 ? Piece::Loop{} : piece().loops[0];
    }
    static copy::ByteRuns turned(copy::ByteRuns runs) {
        std::swap(runs.source_stride, runs.destination_stride);
        return runs;
    }

    void begin_piece() {
        steps_ = {};
        at_ = base_ + piece().offset;
    }

    // Visits runs of this side, dense on the other: of whole rows where there is room.
    template <class Visit>
    void step(std::int64_t bytes, const Visit& visit) {
        left_ -= bytes;
        while (bytes > 0) {
            const auto& [count, stride] = row();
            const auto length = piece().length;
            const auto whole = within_ != 0 ? 0 : std::min(count - steps_[0], bytes / length);
            if (whole == 0) {  // a part of a run
                const auto part = std::min(length - within_, bytes);
                visit({.length = part}, at_ + within_);
                bytes -= part;
                within_ = (within_ + part) % length;
                if (within_ == 0) {
                    advance(1, stride);
                }
            } else {
                visit({.length = length,
                       .count = whole,
                       .source_stride = stride,
                       .destination_stride = length},
                      at_);
                bytes -= whole * length;
                advance(whole, stride);
            }
        }
    }

    void advance(std::int64_t runs, std::int64_t stride) {
        at_ += runs * stride;
        steps_[0] += runs;
        const auto& now = piece();
        for (std::size_t i = 0; steps_[i] == (i < now.depth ? now.loops[i].count : 1);) {
            if (i < now.depth) {
                at_ -= now.loops[i].count * now.loops[i].stride;
            }
            steps_[i] = 0;
            if (++i >= now.depth) {
                next_piece();
                return;
            }
            at_ += now.loops[i].stride;
            ++steps_[i];
        }
    }

    void next_piece() {
        if (++piece_ >= number_) {
            piece_ = 0;
            base_ += extent_;
        }
        begin_piece();
    }

    const Piece* pieces_ = nullptr;
    std::size_t number_ = 0;
    std::int64_t extent_ = 0;
    std::byte* base_ = nullptr;
    std::int64_t left_ = 0;  ///< bytes to come
    Piece one_;
    bool is_one_ = false;
    std::size_t piece_ = 0;
    std::array<std::int64_t, Piece::most_loops> steps_{};
    std::byte* at_ = nullptr;  ///< the run's begin
    std::int64_t within_ = 0;  ///< bytes of it that are done
};

}  // namespace transrank::carry
