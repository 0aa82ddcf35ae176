// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "lab/measure/sampler.hpp"
#include "lab/measure/workspace.hpp"

using namespace transrank;
using namespace transrank::lab;

namespace {

/// Follows a chain through all cache lines of a buffer, in an order that no prefetcher guesses.
class Chase final : public measure::Operation {
public:
    explicit Chase(std::span<std::byte> memory) {
        const std::size_t lines = memory.size() / 64;
        for (std::size_t i = 0; i < lines; ++i) {
            lines_.push_back(&memory[i * 797 % lines * 64]);
        }
    }
    void fill(std::uint64_t /*stamp*/) override {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto* next = lines_[(i + 1) % lines_.size()];
            std::memcpy(lines_[i], static_cast<const void*>(&next), sizeof next);
        }
    }
    void run(std::int64_t /*repetitions*/) override {
        std::byte* at = lines_.front();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            std::memcpy(static_cast<void*>(&at), static_cast<const void*>(at), sizeof at);
        }
        CHECK(at == lines_.front());
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

private:
    std::vector<std::byte*> lines_;
};

}  // namespace

TEST_CASE("cold buffers are read from memory, others from the caches") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    constexpr std::int64_t bytes = 64 << 10;
    const auto fastest = [&](measure::CacheMode mode) {
        const measure::Workspace workspace(bytes, bytes, mode);
        const auto start = measure::make_barrier(comm);
        const auto stopping = measure::make_count_stopping(100);
        measure::Sampler sampler(comm, *start, workspace, {.seed = 1, .max_seconds = 1});
        std::vector<measure::CaseRun> group(1);
        group[0].point.study = "chase";
        group[0].point.send_bytes = bytes;
        group[0].point.receive_bytes = bytes;
        group[0].point.timing = measure::TimingKind::single;
        group[0].operation = std::make_unique<Chase>(workspace.receive(0, bytes, bytes));
        group[0].stopping = stopping.get();
        sampler.measure(group, {.calibrated = [](const measure::CaseRun&) {},
                                .advanced = [](const measure::CaseRun&, int) { return true; },
                                .finished = [](measure::CaseRun&) {}});
        return std::ranges::min(group[0].own.seconds);
    };
    const double cold = fastest(measure::CacheMode::cold);
    const double warm = fastest(measure::CacheMode::warm);
    CHECK(cold > 3 * warm);
}
