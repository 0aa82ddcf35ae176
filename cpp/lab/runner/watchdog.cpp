// SPDX-License-Identifier: BSD-3-Clause
#include "watchdog.hpp"

#include <chrono>
#include <cstdio>
#include <unistd.h>

#include "lab/machine/process.hpp"

namespace transrank::lab::runner {

Watchdog::Watchdog(double limit_seconds, int rank) {
    if (limit_seconds > 0) {
        thread_ = std::thread([this, limit_seconds, rank] { watch(limit_seconds, rank); });
    }
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Watchdog::advance(const std::string& what) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    resting_ = false;
    ++advances_;
}

void Watchdog::rest() {
    const std::lock_guard lock(mutex_);
    resting_ = true;
}

void Watchdog::watch(double limit_seconds, int rank) {
    std::unique_lock lock(mutex_);
    for (auto seen = advances_; !over_; seen = advances_) {
        const auto limit = std::chrono::duration<double>(limit_seconds);
        changed_.wait_for(lock, limit, [this] { return over_; });
        if (!over_ && !resting_ && seen == advances_) {
            std::fprintf(
                stderr,
                "transrank-run: rank %d on %s made no progress for %g s, at: %s; a rank or "
                "link may be gone\n",
                rank, machine::host_name().c_str(), limit_seconds, what_.c_str());
            // Not MPI_Abort: the main thread may be inside MPI. The launcher ends the others, or,
            // if it does not notice, the survey that has started it.
            _exit(3);
        }
    }
}

}  // namespace transrank::lab::runner
