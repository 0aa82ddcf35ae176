// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/futex.hpp"

#include <climits>
#include <cmath>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace transrank::memory {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen, double seconds) {
    const double whole = std::floor(seconds);
    const timespec limit{.tv_sec = static_cast<time_t>(whole),
                         .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
    // Not FUTEX_PRIVATE_FLAG. A spurious return is fine: callers look again.
    syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void futex_wake(const std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace transrank::memory
