// SPDX-License-Identifier: BSD-3-Clause
#include "summary.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>

namespace transrank::carry {
namespace {

using Seconds = std::chrono::duration<double>;

struct Calls {
    const char* name;
    std::array<std::uint64_t, ways> by_way{};
    Seconds took{};
};

struct {
    std::array<Calls, kinds> calls{{{"MPI_Alltoall"}, {"MPI_Alltoallv"}, {"MPI_Alltoallw"}}};
    std::uint64_t communicators = 0;
    Seconds connecting{};
    Clock::time_point since = Clock::now();
    std::mutex mutex;
} counted;

constexpr std::array<const char*, ways> words{
    "carried",
    "by MPI, as first calls over their communicators",
    "by MPI, as one rank or a communicator, a datatype or an argument that is not carried",
    "by MPI, to compare",
    "by MPI, which was faster for their lengths",
    "failed, since a process had ended"};

}  // namespace

void count(Kind kind, Way way, Clock::time_point begin) noexcept {
    const std::lock_guard lock(counted.mutex);
    auto& calls = counted.calls[static_cast<std::size_t>(kind)];
    ++calls.by_way[static_cast<std::size_t>(way)];
    calls.took += Clock::now() - begin;
}

void count_connected(Clock::time_point begin) noexcept {
    const std::lock_guard lock(counted.mutex);
    ++counted.communicators;
    counted.connecting += Clock::now() - begin;
}

extern "C" void transrank_carry_print_summary() {
    int rank = 0;
    if (std::getenv("TRANSRANK_CARRY_SUMMARY") == nullptr ||
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) {
        return;
    }
    const Seconds whole = Clock::now() - counted.since;
    std::uint64_t carried = 0;
    const auto print = [](const char* format, auto... values) {
        std::fputs("transrank carry: ", stderr);
        std::fprintf(stderr, format, values...);
    };
    for (const auto& [name, by_way, took] : counted.calls) {
        const auto all = std::accumulate(by_way.begin(), by_way.end(), std::uint64_t{0});
        if (all == 0) {
            continue;
        }
        print("rank 0: %llu calls of %s took %.3g s of the %.3g s since the first\n",
              static_cast<unsigned long long>(all), name, took.count(), whole.count());
        for (std::size_t way = 0; way < ways; ++way) {
            if (by_way[way] != 0) {
                print("  %llu %s\n", static_cast<unsigned long long>(by_way[way]), words[way]);
            }
        }
        carried += by_way[static_cast<std::size_t>(Way::carried)];
    }
    if (counted.communicators != 0) {
        print("communicators: %llu, connected in %.3g ms\n",
              static_cast<unsigned long long>(counted.communicators),
              counted.connecting.count() * 1e3);
    }
    if (carried == 0) {
        print("nothing was carried: this program gains nothing by it\n");
    }
}

}  // namespace transrank::carry
