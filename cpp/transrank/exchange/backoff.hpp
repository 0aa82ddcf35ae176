// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>

namespace transrank::exchange {

/// How a rank waits while nothing advances. It spins for a while, since a peer with a core of its
/// own answers sooner than the kernel could wake us, and then sleeps until its doorbell rings.
/// While MPI must be polled it keeps polling; where ranks share cores it sleeps briefly in between.
class Backoff {
public:
    explicit Backoff(bool oversubscribed);

    /// Something has advanced: starts over.
    void reset() noexcept { spins_ = 0; }

    /// Called when nothing has advanced. Returns whether it is past spinning: then there is time to
    /// look at other things. Does not sleep once `over`, which another thread may have made true.
    bool pause(const std::atomic<bool>& over);

private:
    using Clock = std::chrono::steady_clock;

    bool oversubscribed_;
    int spins_ = 0;
    Clock::time_point end_of_spins_;
};

/// A moment that comes again and again, not more often than its interval.
class Recurring {
public:
    explicit Recurring(std::chrono::milliseconds interval) : interval_(interval) {}

    /// Starts over: due one interval after the next time it is asked.
    void reset() noexcept { last_ = {}; }
    [[nodiscard]] bool is_due();

private:
    using Clock = std::chrono::steady_clock;

    std::chrono::milliseconds interval_;
    Clock::time_point last_;
};

}  // namespace transrank::exchange
