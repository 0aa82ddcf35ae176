// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/repeated_moves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "transrank/memory/copy_kernels.hpp"
#include "transrank/memory/core_cache.hpp"

namespace transrank::transport {
namespace {

// What is streamed must be read from memory afterwards: not worth it for a hair's breadth.
constexpr double worth_streaming = 0.9;

std::int64_t bytes_of(const Move& move) {
    std::int64_t bytes = 0;
    for (const auto& runs : move.runs) {
        bytes += runs.length * runs.count;
    }
    return bytes;
}

}  // namespace

void RepeatedMoves::add(Move move) {
    if (move.combine == nullptr) {
        copied_bytes_ += bytes_of(move);
    }
    moves_.push_back(std::move(move));
}

bool RepeatedMoves::is_open() const noexcept {
    return wanted_ == Stores::measured && tried_ < 2 * trials &&
           copied_bytes_ > memory::core_cache_bytes() && memory::streaming_copy() != nullptr;
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
        transport::execute(moves_);
        return;
    }
    for (const auto& move : moves_) {
        if (move.combine != nullptr) {
            transport::execute(std::span(&move, 1));
            continue;
        }
        for (const auto& runs : move.runs) {
            stream_runs(runs, move.source, move.destination);
        }
    }
    memory::end_streaming();
}

void RepeatedMoves::try_next() {
    const auto stores = tried_ < trials ? Stores::cached : Stores::streamed;
    const auto begin = std::chrono::steady_clock::now();
    execute_with(stores);
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
           " (measured: past them " + microseconds(least_streamed_) + ", into them " +
           microseconds(least_cached_) + ")";
}

}  // namespace transrank::transport
