// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "transrank/measure/core_watch.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <sched.h>
#include <thread>

#include "transrank/machine/clock.hpp"
#include "transrank/machine/process.hpp"

using namespace transrank;

namespace {

void bind_to(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    REQUIRE(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
}

}  // namespace

TEST_CASE("a core lost for long is noticed, for short beside a long sample not, and forgotten") {
    const int cpu = machine::current_cpu();
    std::atomic<bool> over{false};
    std::thread rival([&] {
        bind_to(cpu);
        while (!over) {
        }
    });
    bool noticed = false;
    bool shows_in_an_hour = true;
    bool forgotten = false;
    std::thread([&] {
        bind_to(cpu);
        measure::CoreWatch watch;
        watch.begin();
        const double begin = machine::now();
        double seconds = 0;
        while (!noticed && seconds < 10) {
            seconds = machine::now() - begin;
            noticed = seconds > 0.05 && watch.lost_in(seconds);
        }
        shows_in_an_hour = watch.lost_in(3600);
        for (int i = 0; i < 100 && !forgotten; ++i) {
            watch.begin();
            forgotten = !watch.lost_in(0);
        }
    }).join();
    over = true;
    rival.join();
    CHECK(noticed);
    CHECK(shows_in_an_hour == (machine::nanoseconds_without_core() < 0));
    CHECK(forgotten);
}
