// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/patience.hpp"

#include <algorithm>

#include "transrank/exchange/engine.hpp"
#include "transrank/memory/node.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transrank::exchange {
namespace {

// About 100 us where a pause takes 40 ns; hardly any where the peer waits for our core.
constexpr int spins_with_own_core = 2000;
constexpr int spins_with_shared_core = 10;
constexpr double first_poll_seconds = 20e-6;
constexpr double longest_poll_seconds = 1e-3;
constexpr double sleep_seconds = 0.1;

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

Patience::Patience(bool oversubscribed)
    : spins_left_(oversubscribed ? spins_with_shared_core : spins_with_own_core),
      poll_seconds_(first_poll_seconds) {}

bool Patience::rest(const std::atomic<bool>& over) {
    if (spins_left_ > 0) {
        --spins_left_;
        relax();
        return false;
    }
    const bool polls = Engine::instance().polls_mpi();
    const double limit = polls ? poll_seconds_ : sleep_seconds;
    poll_seconds_ = std::min(2 * poll_seconds_, longest_poll_seconds);
    bool news = false;
    memory::own_doorbell().sleep(limit, [&] {
        news = Engine::instance().progress() || over;
        return news;
    });
    return !news;
}

}  // namespace transrank::exchange
