// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace transrank::lab::runner {

/// Ends this process, and with it the job, when nothing has advanced for a time: a rank behind a
/// broken link would otherwise wait for ever. Without limit (0 seconds) it does nothing.
class Watchdog {
public:
    Watchdog(double limit_seconds, int rank);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    ~Watchdog();

    /// Something has advanced; `what` is being done next.
    void advance(const std::string& what);

    /// Until the next advance() nothing need advance here: this process waits for others that are
    /// watched themselves.
    void rest();

private:
    void watch(double limit_seconds, int rank);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string what_ = "starting";
    std::uint64_t advances_ = 0;
    bool resting_ = false;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace transrank::lab::runner
