// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

/// What the control groups of this process, and those around them, allow it. The arguments are for
/// tests. Folders of groups need not exist: in a container the path may be that of the host; then
/// what is mounted at the top is the container's own.
namespace transrank::memory {

/// How much processor time the control groups of this process allow it and all that share them,
/// as a number of cores: a container of two cores may see all of its machine's.
struct ProcessorQuota {
    double cores = std::numeric_limits<double>::infinity();
    /// The folder of the group that sets the limit: the same for all processes that share it.
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
};

/// The tightest quota among the groups of this process and those around them, of version 2
/// (`cpu.max`) and 1 (`cpu.cfs_quota_us`). No limit where nothing can be read.
[[nodiscard]] ProcessorQuota processor_quota(
    const std::filesystem::path& groups_of_process = "/proc/self/cgroup",
    const std::filesystem::path& file_system = "/sys/fs/cgroup");

/// The most bytes that this process could have if nobody else used any: the machine's memory,
/// or what the tightest of the control groups around it grants (`memory.max` of version 2,
/// `memory.limit_in_bytes` of version 1), and the machine's swap space.
[[nodiscard]] std::uint64_t memory_limit(
    const std::filesystem::path& groups_of_process = "/proc/self/cgroup",
    const std::filesystem::path& file_system = "/sys/fs/cgroup");

}  // namespace transrank::memory
