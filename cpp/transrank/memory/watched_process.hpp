// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

namespace transrank::memory {

/// Another process of this node, of which can be told whether it still runs. Holds a descriptor.
class WatchedProcess {
public:
    explicit WatchedProcess(std::int64_t process);
    WatchedProcess(const WatchedProcess&) = delete;
    WatchedProcess& operator=(const WatchedProcess&) = delete;
    ~WatchedProcess();

    /// True where that cannot be told.
    [[nodiscard]] bool is_alive() const;

    /// The one that is there already, or a new one: one descriptor per process, however many
    /// exchanges it has a part in.
    [[nodiscard]] static std::shared_ptr<WatchedProcess> get(std::int64_t process);

private:
    int descriptor_ = -1;  ///< pidfd; -1 where the kernel has none
};

}  // namespace transrank::memory
