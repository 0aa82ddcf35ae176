// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/doorbell.hpp"

#include "transrank/memory/futex.hpp"

namespace transrank::memory {

void Doorbell::wake() {
    rings_.fetch_add(1, std::memory_order_relaxed);
    futex_wake(rings_);
}

void Doorbell::doze(std::uint32_t seen, double seconds) {
    futex_wait(rings_, seen, seconds);
}

}  // namespace transrank::memory
