// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace transrank::memory {

/// A folder of the control group file system, with the limits of one group.
struct ControlGroup {
    std::filesystem::path folder;
    int version;  ///< 1 or 2
};

/// The groups of this process, and those around them, that may limit what `controller` (`cpu`,
/// `memory`) shares out. Folders need not exist: in a container the path may be that of the host;
/// then what is mounted at the top is the container's own. The paths are arguments for tests.
[[nodiscard]] std::vector<ControlGroup> control_groups(
    std::string_view controller, const std::filesystem::path& groups_of_process,
    const std::filesystem::path& file_system);

}  // namespace transrank::memory
