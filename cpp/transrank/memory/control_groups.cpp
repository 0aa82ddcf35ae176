// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <vector>

namespace transrank::memory {
namespace {

namespace fs = std::filesystem;

/// A folder of the control group file system, with the limits of one group.
struct ControlGroup {
    std::filesystem::path folder;
    int version;  ///< 1 or 2
};

void add_along(std::vector<ControlGroup>& groups, const ControlGroup& top, const fs::path& path) {
    groups.push_back(top);
    for (const auto& name : path.relative_path()) {
        if (name == "..") {
            return;
        }
        groups.push_back({.folder = groups.back().folder / name, .version = top.version});
    }
}

bool is_among(std::string_view name, const std::string& names) {
    return (',' + names + ',').find(',' + std::string(name) + ',') != std::string::npos;
}

// The groups that may limit what `controller` (`cpu`, `memory`) shares out.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const fs::path& groups_of_process,
                                         const fs::path& file_system) {
    std::vector<ControlGroup> groups;
    std::ifstream lines(groups_of_process);
    // Lines `number:controllers:path`; version 2 has no controllers there.
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const fs::path path = line.substr(second + 1);
        if (controllers.empty()) {
            add_along(groups, {.folder = file_system, .version = 2}, path);
        } else if (is_among(controller, controllers)) {
            add_along(groups, {.folder = file_system / controllers, .version = 1}, path);
        }
    }
    return groups;
}

// The time per period, and the period: in one file, which says `max` where there is no limit, or in
// two, the first of which is then negative.
std::optional<double> cores_of(const ControlGroup& group) {
    const bool is_second = group.version == 2;
    std::ifstream first(group.folder / (is_second ? "cpu.max" : "cpu.cfs_quota_us"));
    std::ifstream second(group.folder / "cpu.cfs_period_us");
    double time = 0;
    double period = 0;
    if (first >> time && (is_second ? first : second) >> period && time > 0 && period > 0) {
        return time / period;
    }
    return std::nullopt;
}

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

// Version 2 says `max` where there is none.
std::uint64_t limit_of(const ControlGroup& group) {
    std::ifstream file(group.folder /
                       (group.version == 2 ? "memory.max" : "memory.limit_in_bytes"));
    std::uint64_t bytes = 0;
    return file >> bytes ? bytes : no_limit;
}

}  // namespace

ProcessorQuota processor_quota(const fs::path& groups_of_process, const fs::path& file_system) {
    ProcessorQuota quota;
    for (const auto& group : control_groups("cpu", groups_of_process, file_system)) {
        struct stat folder{};
        const auto cores = cores_of(group);
        if (cores && *cores < quota.cores && stat(group.folder.c_str(), &folder) == 0) {
            quota = {.cores = *cores, .device = folder.st_dev, .inode = folder.st_ino};
        }
    }
    return quota;
}

std::uint64_t memory_limit(const fs::path& groups_of_process, const fs::path& file_system) {
    struct sysinfo machine{};
    if (sysinfo(&machine) != 0) {
        return no_limit;
    }
    std::uint64_t bytes = std::uint64_t{machine.totalram} * machine.mem_unit;
    for (const auto& group : control_groups("memory", groups_of_process, file_system)) {
        bytes = std::min(bytes, limit_of(group));
    }
    return bytes + (std::uint64_t{machine.totalswap} * machine.mem_unit);
}

}  // namespace transrank::memory
