// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

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
/// (`cpu.max`) and 1 (`cpu.cfs_quota_us`). No limit where nothing can be read. The arguments are
/// for tests.
[[nodiscard]] ProcessorQuota processor_quota(
    const std::filesystem::path& groups_of_process = "/proc/self/cgroup",
    const std::filesystem::path& file_system = "/sys/fs/cgroup");

}  // namespace transrank::memory
