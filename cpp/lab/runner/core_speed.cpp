// SPDX-License-Identifier: BSD-3-Clause
#include "core_speed.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lab/machine/clock.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {
namespace {

// Some 4 µs each, of which the median counts: an interrupt makes a few of them slow.
constexpr int batches = 7;
constexpr std::uint64_t steps_per_batch = 4000;

// Six sums that do not depend on each other: as many instructions at a time as a core can issue.
void work() {
    std::array<std::uint64_t, 6> sums{1, 2, 3, 4, 5, 6};
    auto& [a, b, c, d, e, f] = sums;
    for (std::uint64_t step = 0; step < steps_per_batch; ++step) {
        a += step ^ (a >> 3U);
        b += step ^ (b >> 5U);
        c += step ^ (c >> 7U);
        d += step ^ (d >> 9U);
        e += step ^ (e >> 11U);
        f += step ^ (f >> 13U);
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));  // one by one
    }
}

double seconds_here() {
    std::array<double, batches> seconds{};
    for (auto& each : seconds) {
        const double begin = machine::now();
        work();
        each = machine::now() - begin;
    }
    const auto middle = seconds.begin() + batches / 2;
    std::ranges::nth_element(seconds, middle);
    return *middle;
}

}  // namespace

CoreSpeed::CoreSpeed(const mpi::Communicator& world) {
    const int shared = memory::Node(world).oversubscribed() ? 1 : 0;
    measurable_ = mpi::reduced(world, shared, MPI_MAX) == 0;
}

double CoreSpeed::work_seconds(const mpi::Communicator& comm) {
    const double own = seconds_here();
    double slowest = own;
    mpi::check(MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, comm.handle()), "MPI_Reduce");
    return slowest;
}

}  // namespace transrank::lab::runner
