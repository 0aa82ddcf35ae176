// SPDX-License-Identifier: BSD-3-Clause
#include "summary.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace transrank::carry {
namespace {

struct Line {
    std::array<std::uint64_t, ways> calls{};
    std::int64_t bytes = 0;
    double seconds = 0;
};
struct Counted {
    std::array<Line, kinds> lines{};
    Clock::time_point since = Clock::now();
    std::mutex mutex;
};
Counted counted;

constexpr std::array<const char*, kinds> names{"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw"};
constexpr std::array<const char*, ways> words{
    "carried",
    "by MPI, as first calls over their communicators",
    "by MPI, as one rank or a communicator, a datatype or an argument that is not carried",
    "by MPI, to compare",
    "by MPI, which was faster for their lengths",
    "failed, since a process had ended"};

}  // namespace

void count(Kind kind, Way way, std::int64_t bytes, Clock::time_point begin) noexcept {
    const std::lock_guard lock(counted.mutex);
    auto& line = counted.lines[static_cast<std::size_t>(kind)];
    ++line.calls[static_cast<std::size_t>(way)];
    line.bytes += way == Way::carried ? bytes : 0;
    line.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

void print_summary() noexcept {
    int rank = 0;
    if (std::getenv(summary_variable) == nullptr ||
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || rank != 0) {
        return;
    }
    const std::chrono::duration<double> whole = Clock::now() - counted.since;
    bool gained = false;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        const auto& line = counted.lines[kind];
        std::uint64_t calls = 0;
        for (const auto number : line.calls) {
            calls += number;
        }
        if (calls == 0) {
            continue;
        }
        std::fprintf(stderr, "transrank carry: rank 0: %llu calls of %s took %.3g s of %.3g s\n",
                     static_cast<unsigned long long>(calls), names[kind], line.seconds,
                     whole.count());
        for (std::size_t way = 0; way < ways; ++way) {
            if (line.calls[way] != 0) {
                std::fprintf(stderr, "transrank carry:   %llu %s\n",
                             static_cast<unsigned long long>(line.calls[way]), words[way]);
            }
        }
        std::fprintf(stderr, "transrank carry:   %.3g MB sent in carried calls\n",
                     static_cast<double>(line.bytes) / 1e6);
        gained |= line.calls[0] != 0;
    }
    if (!gained) {
        std::fputs("transrank carry: nothing was carried: this program gains nothing by it\n",
                   stderr);
    }
}

}  // namespace transrank::carry
