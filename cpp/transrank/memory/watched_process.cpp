// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/watched_process.hpp"

#include <map>
#include <mutex>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace transrank::memory {

WatchedProcess::WatchedProcess([[maybe_unused]] std::int64_t process) {
#ifdef SYS_pidfd_open
    descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#endif
}

WatchedProcess::~WatchedProcess() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

bool WatchedProcess::is_alive() const {
    if (descriptor_ < 0) {
        return true;
    }
    pollfd ended{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return poll(&ended, 1, 0) != 1;
}

std::shared_ptr<WatchedProcess> WatchedProcess::get(std::int64_t process) {
    static std::mutex mutex;
    static auto* const known = new std::map<std::int64_t, std::weak_ptr<WatchedProcess>>;
    const std::lock_guard lock(mutex);
    auto& entry = (*known)[process];
    auto watched = entry.lock();
    // A number may have been given to another process since.
    if (!watched || !watched->is_alive()) {
        watched = std::make_shared<WatchedProcess>(process);
        entry = watched;
    }
    return watched;
}

}  // namespace transrank::memory
