// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::lab::measure {

/// Watches whether this thread loses its core while a sample is timed, for a time that shows in it.
///
/// Threads of the kernel (rcu_preempt, kworker) take a core for some microseconds many times per
/// second. Where ranks keep all cores busy hardly a sample of some ten milliseconds is without
/// that; if all those were left out, there would be nothing left, though nothing is wrong with
/// them.
class CoreWatch {
public:
    /// What was before does not count.
    void begin();

    /// Whether the core has been lost since, for more than a hundredth of `seconds`; lost at all,
    /// where the kernel does not count for how long.
    [[nodiscard]] bool lost_in(double seconds) const;

private:
    std::int64_t switches_ = 0;
    std::int64_t waited_ = -1;
};

}  // namespace transrank::lab::measure
