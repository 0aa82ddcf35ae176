// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/watched_process.hpp"

#include <cerrno>
#include <fstream>
#include <map>
#include <mutex>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace transrank::memory {
namespace {

int open_process([[maybe_unused]] std::int64_t process) {
#ifdef SYS_pidfd_open
    return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
    return -1;
#endif
}

/// When a process began, in clock ticks since the machine did; 0 when it has ended; nothing where
/// that cannot be seen, for want of a descriptor. proc(5): the name in parentheses may hold
/// anything; the state follows it, the beginning is field 22.
std::optional<std::uint64_t> beginning_of(std::int64_t process) {
    constexpr int fields_between = 18;
    errno = 0;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    if (!file.is_open() && errno != ENOENT && errno != ESRCH) {
        return std::nullopt;
    }
    std::string text;
    std::getline(file, text, '\0');
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) {
        return 0;
    }
    std::istringstream fields(text.substr(name_end + 1));
    char state = 'X';
    fields >> state;
    std::string skipped;
    for (int i = 0; i < fields_between; ++i) {
        fields >> skipped;
    }
    std::uint64_t ticks = 0;
    fields >> ticks;
    const bool ended = state == 'Z' || state == 'X' || state == 'x';
    return fields && !ended ? ticks : 0;
}

}  // namespace

WatchedProcess::WatchedProcess(std::int64_t process, Means preferred)
    : process_(process),
      descriptor_(preferred == Means::descriptor ? open_process(process) : -1),
      began_(descriptor_ < 0 ? beginning_of(process) : std::nullopt) {}

WatchedProcess::~WatchedProcess() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

bool WatchedProcess::is_alive() const {
    if (descriptor_ < 0) {
        const auto now = beginning_of(process_);
        return !now || (*now != 0 && *now == began_.value_or(*now));
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
