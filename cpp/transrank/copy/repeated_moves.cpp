// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/repeated_moves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "transrank/copy/copy_kernels.hpp"
#include "transrank/copy/core_cache.hpp"

namespace transrank::copy {
namespace {

// The time of streaming, the reading of the result included, for it to be worth it.
constexpr double worth_streaming = 0.95;

}  // namespace

// Half of what is in the caches are sources.
RepeatedMoves::RepeatedMoves(Stores stores, std::int64_t moved_bytes)
    : wanted_(stores), cached_by_size_(2 * moved_bytes <= core_cache_share_bytes()) {}

void RepeatedMoves::add(Move move) {
    if (move.combine == nullptr) {
        copied_bytes_ += move.runs->bytes();
    }
    moves_.push_back(std::move(move));
}

bool RepeatedMoves::is_open() const noexcept {
    return wanted_ == Stores::measured && !cached_by_size_ && tried_ < 2 * trials &&
           copied_bytes_ > core_cache_bytes() && streaming_copy() != nullptr;
}

void RepeatedMoves::execute() {
    if (is_open()) {
        try_next();
    } else {
        execute_with(wanted_ == Stores::measured ? found_ : wanted_);
    }
}

void RepeatedMoves::execute_with(Stores stores) const {
    if (stores != Stores::streamed) {
        copy::execute(moves_);
        return;
    }
    for (const auto& move : moves_) {
        if (move.combine != nullptr) {
            copy::execute(std::span(&move, 1));
            continue;
        }
        move.runs->stream(move.source.get(), move.destination.get());
    }
    end_streaming();
}

// As a user of the result would. One byte of a line brings it all.
void RepeatedMoves::read_back() const {
    constexpr std::int64_t line_bytes = 64;
    unsigned sum = 0;
    for (const auto& move : moves_) {
        if (move.combine != nullptr) {
            continue;
        }
        move.runs->for_each([&](const ByteRuns& runs) {
            const auto* run = move.destination.get() + runs.destination;
            const bool dense = runs.destination_stride == runs.length;
            const auto count = dense ? 1 : runs.count;
            const auto length = dense ? runs.length * runs.count : runs.length;
            for (std::int64_t i = 0; i < count; ++i, run += runs.destination_stride) {
                for (std::int64_t at = 0; at < length; at += line_bytes) {
                    sum += std::to_integer<unsigned>(run[at]);
                }
            }
        });
    }
    asm volatile("" : : "r"(sum));  // the reading is not optimised away
}

void RepeatedMoves::try_next() {
    const auto stores = tried_ < trials ? Stores::cached : Stores::streamed;
    const auto begin = std::chrono::steady_clock::now();
    execute_with(stores);
    read_back();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (tried_ % trials != 0) {
        auto& least = stores == Stores::cached ? least_cached_ : least_streamed_;
        least = least == 0 ? taken.count() : std::min(least, taken.count());
    }
    ++tried_;
    if (!is_open()) {
        found_ =
            least_streamed_ < worth_streaming * least_cached_ ? Stores::streamed : Stores::cached;
    }
}

std::string RepeatedMoves::finding(const std::string& whose) const {
    const auto microseconds = [](double seconds) {
        return std::to_string(std::llround(seconds * 1e6)) + " us";
    };
    if (tried_ == 0 || is_open()) {
        return "";
    }
    return whose +
           (found_ == Stores::streamed ? ": stored past the caches" : ": stored into the caches") +
           " (measured, with a reading: past them " + microseconds(least_streamed_) +
           ", into them " + microseconds(least_cached_) + ")";
}

}  // namespace transrank::copy
