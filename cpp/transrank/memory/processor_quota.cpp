// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/processor_quota.hpp"

#include <fstream>
#include <optional>
#include <sys/stat.h>

#include "transrank/memory/control_groups.hpp"

namespace transrank::memory {
namespace {

namespace fs = std::filesystem;

// cpu.max holds the time per period and the period, or `max` and the period.
std::optional<double> cores_of_version_2(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    double time = 0;
    double period = 0;
    if (file >> time >> period && period > 0) {
        return time / period;
    }
    return std::nullopt;
}

// A negative quota stands for none.
std::optional<double> cores_of_version_1(const fs::path& group) {
    std::ifstream quota(group / "cpu.cfs_quota_us");
    std::ifstream length(group / "cpu.cfs_period_us");
    double time = 0;
    double period = 0;
    if (quota >> time && length >> period && time > 0 && period > 0) {
        return time / period;
    }
    return std::nullopt;
}

void tighten(ProcessorQuota& quota, const fs::path& group, std::optional<double> cores) {
    struct stat folder{};
    if (cores && *cores < quota.cores && stat(group.c_str(), &folder) == 0) {
        quota = {.cores = *cores, .device = folder.st_dev, .inode = folder.st_ino};
    }
}

}  // namespace

ProcessorQuota processor_quota(const fs::path& groups_of_process, const fs::path& file_system) {
    ProcessorQuota quota;
    for (const auto& [group, version] : control_groups("cpu", groups_of_process, file_system)) {
        tighten(quota, group, version == 2 ? cores_of_version_2(group) : cores_of_version_1(group));
    }
    return quota;
}

}  // namespace transrank::memory
