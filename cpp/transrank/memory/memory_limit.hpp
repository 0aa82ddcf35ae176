// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace transrank::memory {

/// How many bytes this process could have at the most if nobody else had any: the machine's memory,
/// or what the tightest of the control groups around it grants (`memory.max` of version 2,
/// `memory.limit_in_bytes` of version 1), and the machine's swap space. The arguments are for
/// tests.
[[nodiscard]] std::uint64_t memory_limit(
    const std::filesystem::path& groups_of_process = "/proc/self/cgroup",
    const std::filesystem::path& file_system = "/sys/fs/cgroup");

}  // namespace transrank::memory
