// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace transrank::exchange {

/// How a rank passes the time while nothing advances: it spins for some microseconds, since a peer
/// with a core of its own answers sooner than the kernel could wake us, and then sleeps until it is
/// rung for. While MPI must be polled it sleeps only briefly.
class Patience {
public:
    explicit Patience(bool oversubscribed);

    /// Called when nothing has advanced. Returns true when a long sleep has ended without news: a
    /// good time to see whether the peers still live. Does not sleep once `over`, which another
    /// thread may have made true.
    bool rest(const std::atomic<bool>& over);

private:
    int spins_left_;
    double poll_seconds_;
};

}  // namespace transrank::exchange
