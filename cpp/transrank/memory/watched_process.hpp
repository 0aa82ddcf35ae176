// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace transrank::memory {

/// Another process of this node, watched for whether it still runs.
class WatchedProcess {
public:
    /// By a descriptor of the process where the kernel gives one, else by its number and the time
    /// at which it began, since a number may be given to another process.
    enum class Means : std::uint8_t { descriptor, number };

    explicit WatchedProcess(std::int64_t process, Means preferred = Means::descriptor);
    WatchedProcess(const WatchedProcess&) = delete;
    WatchedProcess& operator=(const WatchedProcess&) = delete;
    ~WatchedProcess();

    /// False from the moment on when the process has ended, also while nobody has reaped it.
    [[nodiscard]] bool is_alive() const;
    [[nodiscard]] std::int64_t number() const noexcept { return process_; }
    [[nodiscard]] Means means() const noexcept {
        return descriptor_ >= 0 ? Means::descriptor : Means::number;
    }

    /// The one that is there already, or a new one: one descriptor per process, however many
    /// exchanges it has a part in.
    [[nodiscard]] static std::shared_ptr<WatchedProcess> get(std::int64_t process);

private:
    std::int64_t process_;
    int descriptor_ = -1;                 ///< pidfd; -1 where there is none
    std::optional<std::uint64_t> began_;  ///< 0: had ended already; nothing: not known
};

}  // namespace transrank::memory
