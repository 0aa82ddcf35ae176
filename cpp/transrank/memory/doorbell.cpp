// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/doorbell.hpp"

#include <climits>
#include <cmath>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace transrank::memory {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Not FUTEX_PRIVATE_FLAG: between processes, unlike std::atomic::wait, whose futex is private to
// one.
void Doorbell::wake() {
    rings_.fetch_add(1, std::memory_order_relaxed);
    syscall(SYS_futex, &rings_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::doze(std::uint32_t seen, double seconds) {
    const double whole = std::floor(seconds);
    const timespec limit{.tv_sec = static_cast<time_t>(whole),
                         .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
    // A spurious return is fine: callers look again.
    syscall(SYS_futex, &rings_, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace transrank::memory
