// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/memory_limit.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sys/sysinfo.h>

#include "transrank/memory/control_groups.hpp"

namespace transrank::memory {
namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

// Version 2 says `max` where there is none.
std::uint64_t limit_of(const ControlGroup& group) {
    std::ifstream file(group.folder /
                       (group.version == 2 ? "memory.max" : "memory.limit_in_bytes"));
    std::uint64_t bytes = 0;
    return file >> bytes ? bytes : no_limit;
}

}  // namespace

std::uint64_t memory_limit(const std::filesystem::path& groups_of_process,
                           const std::filesystem::path& file_system) {
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
