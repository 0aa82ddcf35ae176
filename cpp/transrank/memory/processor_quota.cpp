// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/processor_quota.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <sys/stat.h>

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

// The group and those around it. In a container the path may be that of the host, which is not
// there: then what is mounted at the top is the container's own.
template <class Cores>
void tighten_along(ProcessorQuota& quota, const fs::path& top, const fs::path& path,
                   const Cores& cores) {
    auto group = top;
    tighten(quota, group, cores(group));
    for (const auto& name : path.relative_path()) {
        if (name == "..") {
            return;
        }
        group /= name;
        tighten(quota, group, cores(group));
    }
}

}  // namespace

ProcessorQuota processor_quota(const fs::path& groups_of_process, const fs::path& file_system) {
    ProcessorQuota quota;
    std::ifstream groups(groups_of_process);
    // Lines `number:controllers:path`; version 2 has no controllers there.
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const fs::path path = line.substr(second + 1);
        if (controllers.empty()) {
            tighten_along(quota, file_system, path, cores_of_version_2);
        } else if ((',' + controllers + ',').find(",cpu,") != std::string::npos) {
            tighten_along(quota, file_system / controllers, path, cores_of_version_1);
        }
    }
    return quota;
}

}  // namespace transrank::memory
