// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <sched.h>

#include "lab/machine/process.hpp"
#include "testing.hpp"

namespace transrank::lab::test {

/// Binds the calling thread for as long as it lives.
class Bound {
public:
    explicit Bound(int cpu) {
        REQUIRE(sched_getaffinity(0, sizeof(before_), &before_) == 0);
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        CPU_SET(static_cast<std::size_t>(cpu), &cpus);
        REQUIRE(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    ~Bound() { sched_setaffinity(0, sizeof(before_), &before_); }

private:
    cpu_set_t before_{};
};

/// Runs `work` while another thread wants the core of this one all the time.
template <class Work>
void beside_rival(const Work& work) {
    const int cpu = machine::current_cpu();
    const Bound bound(cpu);
    std::atomic<bool> over{false};
    std::thread rival([&] {
        const Bound beside(cpu);
        while (!over) {
        }
    });
    work();
    over = true;
    rival.join();
}

}  // namespace transrank::lab::test
