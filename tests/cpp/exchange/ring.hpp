// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scenario.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "world.hpp"

namespace testing {

/// A small exchange of 64-bit numbers: every rank sends its first `units` numbers to the next rank,
/// which puts them behind its own.
class Ring {
public:
    /// `closed`: the last rank sends to the first.
    Ring(int rank, int ranks, bool closed, std::int64_t units = 1, Home home = Home::shared)
        : rank_(rank), ranks_(ranks), closed_(closed), units_(units) {
        const auto count = static_cast<std::size_t>((1 + ranks) * units);
        if (home == Home::shared) {
            segment_ =
                std::make_unique<transrank::memory::SharedSegment>(count * sizeof(std::int64_t));
            numbers_ = {reinterpret_cast<std::int64_t*>(segment_->bytes().data()), count};
        } else {
            own_.resize(count);
            numbers_ = own_;
        }
    }

    /// From now on each rank sends to all others, not only to the next one.
    void send_to_all() { to_all_ = true; }

    [[nodiscard]] transrank::route::Route route() const {
        const auto at = [&](std::int64_t place) {
            return std::vector<transrank::route::Segment>{
                {.source = 0, .destination = place * units_, .length = units_}};
        };
        std::vector<transrank::route::Leg> sends;
        std::vector<transrank::route::Leg> receives;
        for (int peer = 0; to_all_ && peer < ranks_; ++peer) {
            if (peer != rank_) {
                sends.push_back({.peer = peer, .segments = at(rank_)});
                receives.push_back({.peer = peer, .segments = at(peer)});
            }
        }
        if (to_all_) {
            return {rank_, ranks_, units_, ranks_ * units_, sends, receives};
        }
        if (closed_ || rank_ + 1 < ranks_) {
            sends.push_back({.peer = (rank_ + 1) % ranks_, .segments = at(0)});
        }
        if (closed_ || rank_ > 0) {
            receives.push_back({.peer = (rank_ + ranks_ - 1) % ranks_, .segments = at(0)});
        }
        return {rank_, ranks_, units_, units_, sends, receives};
    }

    [[nodiscard]] std::vector<transrank::copy::Field> fields() const {
        const auto bytes = units_ * static_cast<std::int64_t>(sizeof(std::int64_t));
        auto* memory = reinterpret_cast<std::byte*>(numbers_.data());
        return {{.source = memory,
                 .source_bytes = bytes,
                 .destination = memory + bytes,
                 .destination_bytes = to_all_ ? ranks_ * bytes : bytes,
                 .unit_bytes = sizeof(std::int64_t),
                 .scalar = transrank::copy::Scalar::int64}};
    }

    [[nodiscard]] Exchange bind(const std::string& transport, MPI_Comm comm = all_ranks) const {
        Options options;
        options.transport = transport;
        return {route(), comm, fields(), options};
    }

    void write(std::int64_t value) {
        std::iota(numbers_.begin(), numbers_.begin() + units_, value);
    }
    /// Whether what the previous rank wrote with `write` has come, or what all others did.
    [[nodiscard]] bool has_received(std::int64_t value) const {
        bool good = true;
        for (std::int64_t i = 0; i < (to_all_ ? ranks_ : 1) * units_; ++i) {
            good = good && ((to_all_ && i / units_ == rank_) ||
                            numbers_[static_cast<std::size_t>(units_ + i)] == value + (i % units_));
        }
        return good;
    }

    [[nodiscard]] int previous() const { return (rank_ + ranks_ - 1) % ranks_; }
    [[nodiscard]] bool receives() const { return to_all_ || closed_ || rank_ > 0; }

private:
    int rank_;
    int ranks_;
    bool closed_;
    bool to_all_ = false;
    std::int64_t units_;
    std::unique_ptr<transrank::memory::SharedSegment> segment_;
    std::vector<std::int64_t> own_;
    std::span<std::int64_t> numbers_;
};

[[noreturn]] inline void run_for_ever(Exchange& exchange) {
    while (true) {
        exchange.run();
    }
}

/// Rank 0 breaks an exchange, and all ranks see that.
inline void break_from_rank_0([[maybe_unused]] Exchange& exchange) {
    if (world_rank() == 0) {
        CHECK_THROWS(exchange.wait());
    } else {
        CHECK_THROWS(run_for_ever(exchange));
    }
}

}  // namespace testing
