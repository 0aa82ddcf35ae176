// SPDX-License-Identifier: BSD-3-Clause
// The question is which way costs less in all, so a round writes what is sent and reads what has
// arrived.
#include "transrank/collective/measured.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/method.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/transport/timings.hpp"

namespace transrank::collective {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t least_block_bytes = 8;
constexpr std::int64_t most_array_bytes = std::int64_t{1} << 23U;
// Of short blocks more rounds, which cost little and are disturbed more.
constexpr std::int64_t most_rounds = 4;
constexpr std::int64_t bytes_of_rounds = std::int64_t{1} << 20U;

/// What ranks have measured together. The key says whether the blocks are equal, and their length.
struct Findings {
    std::map<std::pair<bool, std::int64_t>, bool> mpi_is_faster;
};

/// Blocks of one length in arrays that are not shared.
class Trial {
public:
    Trial(const Task& task, std::int64_t block_bytes, std::string_view algorithm)
        : send_(static_cast<std::size_t>(block_bytes / least_block_bytes * task.problem.ranks)),
          receive_(send_.size()),
          rounds_(std::clamp<std::int64_t>(bytes_of_rounds / block_bytes / task.problem.ranks, 1,
                                           most_rounds)),
          alltoall_(bind(task, block_bytes, algorithm)) {}

    double least_seconds() {
        return transport::least_of(rounds_, [&] { return seconds(); });
    }

private:
    Alltoall bind(const Task& task, std::int64_t block_bytes, std::string_view algorithm) {
        AlltoallOptions options;
        options.algorithm = algorithm;
        if (task.block_bytes >= 0) {
            return {task.comm, send_.data(), receive_.data(), block_bytes, options};
        }
        return {task.comm, send_.data(), receive_.data(),
                Blocks::equal(task.problem.ranks, block_bytes), options};
    }

    double seconds() {
        const auto begin = Clock::now();
        std::ranges::fill(send_, ++number_);
        alltoall_.run();
        const auto sum = std::reduce(receive_.begin(), receive_.end());
        asm volatile("" : : "r"(sum));  // the reading is not optimised away
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    std::vector<std::uint64_t> send_;
    std::vector<std::uint64_t> receive_;
    std::int64_t rounds_;
    std::uint64_t number_ = 0;
    Alltoall alltoall_;
};

// The slowest rank counts.
bool measure(const Task& task, std::int64_t block_bytes) {
    Trial direct(task, block_bytes, direct_name);
    Trial own(task, block_bytes, mpi_name);
    std::array<double, 4> seconds{};
    for (std::size_t k = 0; k < seconds.size(); k += 2) {
        seconds.at(k) = direct.least_seconds();
        seconds.at(k + 1) = own.least_seconds();
    }
    mpi::reduce(task.own, std::span(seconds), MPI_MAX);
    return transport::advantage({seconds[0], seconds[2]}, {seconds[1], seconds[3]}) > 0;
}

// About the mean of all blocks, the same on every rank.
std::int64_t block_bytes_of(const Task& task) {
    auto mean = task.block_bytes;
    if (mean < 0) {
        const auto& sent = task.blocks.send_bytes;
        const auto here = std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
        mean = mpi::reduced(task.own, here, MPI_SUM) / task.problem.ranks / task.problem.ranks;
    }
    const auto most = std::max(most_array_bytes / task.problem.ranks, least_block_bytes);
    const auto length = std::clamp(mean, least_block_bytes, most);
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length)));
}

}  // namespace

bool mpi_is_faster(const Task& task) {
    const auto block_bytes = block_bytes_of(task);
    auto& prepared = task.known->prepared();
    const auto* known = prepared.find<Findings>();
    const std::pair kind{task.block_bytes >= 0, block_bytes};
    if (known == nullptr || !known->mpi_is_faster.contains(kind)) {
        auto findings = known == nullptr ? Findings{} : *known;
        findings.mpi_is_faster[kind] = measure(task, block_bytes);
        prepared.keep(std::move(findings));
        known = prepared.find<Findings>();
    }
    return known->mpi_is_faster.at(kind);
}

}  // namespace transrank::collective
