// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/backoff.hpp"

#include <algorithm>
#include <thread>

#include "transrank/exchange/engine.hpp"
#include "transrank/memory/node.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transrank::exchange {
namespace {

using Seconds = std::chrono::duration<double>;

// About 100 us where a pause takes 40 ns; hardly any where the peer waits for our core.
constexpr int spins_with_own_core = 2000;
constexpr int spins_with_shared_core = 10;
// MPI moves long messages in small steps, one for each call: a sleep in between delays them all.
constexpr Seconds polling_with_own_core{1.0};
// The same where ranks share cores, but one rank alone polls for its node. If all polled, those
// that they wait for would have no core.
constexpr Seconds polling_for_node{1e-3};

/// How long a sleep is: a share of the time waited, within limits.
struct Sleep {
    double share;
    Seconds shortest;
    Seconds longest;
};
constexpr Sleep between_polls{
    .share = 1.0 / 64, .shortest = Seconds(20e-6), .longest = Seconds(1e-3)};
// Nothing of ours needs MPI then, but a message of the user's may: its sender waits for our calls.
constexpr Sleep without_polls{
    .share = 1.0 / 16, .shortest = Seconds(1e-3), .longest = Seconds(10e-3)};

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

Seconds polling_without_sleep(transport::Polling polling, bool oversubscribed) {
    if (polling == transport::Polling::none) {
        return Seconds(0);
    }
    if (!oversubscribed) {
        return polling_with_own_core;
    }
    return polling == transport::Polling::for_node ? polling_for_node : Seconds(0);
}

}  // namespace

Backoff::Backoff(bool oversubscribed) : oversubscribed_(oversubscribed) {}

bool Backoff::pause(const std::atomic<bool>& over) {
    if (spins_ < (oversubscribed_ ? spins_with_shared_core : spins_with_own_core)) {
        ++spins_;
        relax();
        end_of_spins_ = {};
        return false;
    }
    const auto now = Clock::now();
    if (end_of_spins_ == Clock::time_point{}) {
        end_of_spins_ = now;
    }
    const Seconds waited = now - end_of_spins_;
    const auto polling = Engine::instance().polling();
    if (waited < polling_without_sleep(polling, oversubscribed_)) {
        std::this_thread::yield();
        return true;
    }
    const auto& sleep = polling == transport::Polling::none ? without_polls : between_polls;
    const auto limit = std::clamp(waited * sleep.share, sleep.shortest, sleep.longest);
    memory::own_doorbell().sleep(limit.count(),
                                 [&] { return Engine::instance().progress() || over; });
    return true;
}

bool Recurring::is_due() {
    const auto now = Clock::now();
    if (last_ == Clock::time_point{}) {
        last_ = now;
        return false;
    }
    if (now - last_ < interval_) {
        return false;
    }
    last_ = now;
    return true;
}

}  // namespace transrank::exchange
