// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/control_groups.hpp"

#include <fstream>
#include <string>

namespace transrank::memory {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

}  // namespace transrank::memory
