// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "datatype.hpp"
#include "transrank/copy/runs.hpp"

namespace transrank::carry {

/// The bytes of some elements of a datatype in the order of its type map, copied bit by bit to or
/// from a buffer. The datatype must live as long.
class Stream {
public:
    Stream(const Datatype& type, std::byte* base, std::int64_t count)
        : type_(&type), base_(base), left_(type.bytes * count) {
        if (left_ > 0 && type.pieces.size() == 1) {
            all_ = type.pieces[0];
            all_.repeat({count, type.extent, type.bytes});
        }
        piece_bytes_ = left_ > 0 ? piece().units() : 0;
    }

    [[nodiscard]] std::int64_t left() const { return left_; }

    void pack(std::byte* to, std::int64_t bytes) {
        step(bytes, [&](const copy::ByteRuns& runs, std::byte* from) {
            copy::copy_runs(runs, from, to);
            to += runs.units();
        });
    }
    void unpack(const std::byte* from, std::int64_t bytes) {
        step(bytes, [&](copy::ByteRuns runs, std::byte* to) {
            std::swap(runs.source_stride, runs.destination_stride);
            copy::copy_runs(runs, from, to);
            from += runs.units();
        });
    }

private:
    // All elements are one piece, if they can be.
    [[nodiscard]] const route::Segment& piece() const {
        return type_->pieces.size() == 1 ? all_ : type_->pieces[piece_];
    }

    // Visits runs of this side, dense on the other: of whole rows where there is room.
    template <class Visit>
    void step(std::int64_t bytes, const Visit& visit) {
        left_ -= bytes;
        while (bytes > 0) {
            const auto& now = piece();
            const auto within = done_ % now.length;
            const auto run = done_ / now.length;
            const auto in_row = run % now.count;
            auto row = run / now.count;
            auto* at = base_ + now.source + (in_row * now.source_stride) + within;
            for (const auto& loop : now.further) {
                at += row % loop.count * loop.source_stride;
                row /= loop.count;
            }
            copy::ByteRuns runs{.length = std::min(now.length - within, bytes)};
            if (runs.length == now.length) {
                runs.count = std::min(now.count - in_row, bytes / now.length);
                runs.source_stride = now.source_stride;
                runs.destination_stride = now.length;
            }
            visit(runs, at);
            bytes -= runs.units();
            done_ += runs.units();
            if (done_ == piece_bytes_) {
                begin_next_piece();
            }
        }
    }

    void begin_next_piece() {
        if (++piece_ >= type_->pieces.size()) {
            piece_ = 0;
            base_ += type_->extent;
        }
        done_ = 0;
        piece_bytes_ = piece().units();
    }

    const Datatype* type_;
    std::byte* base_;
    std::int64_t left_;  ///< bytes to come
    route::Segment all_;
    std::size_t piece_ = 0;
    std::int64_t piece_bytes_ = 0;
    std::int64_t done_ = 0;  ///< bytes of the piece
};

}  // namespace transrank::carry
