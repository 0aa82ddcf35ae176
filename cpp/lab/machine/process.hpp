// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace transrank::lab::machine {

/// This host's name.
[[nodiscard]] std::string host_name();

/// The CPUs this thread may run on, as the kernel writes lists: `0-3,8`.
[[nodiscard]] std::string allowed_cpus();

/// The CPU this thread runs on now, -1 where the kernel does not say.
[[nodiscard]] int current_cpu();

/// How often this thread has lost its core so far (involuntary context switches).
[[nodiscard]] std::int64_t involuntary_switches();

/// How long this thread has waited for a core so far while it could have run, in nanoseconds; -1
/// where the kernel does not tell.
[[nodiscard]] std::int64_t nanoseconds_without_core();

/// Time that a hypervisor has taken from each CPU so far, in clock ticks, by the CPU's number;
/// empty where the kernel does not count.
[[nodiscard]] std::vector<std::int64_t> stolen_ticks();

/// The same from the text of /proc/stat. A CPU that is off has no line there, and 0 here.
[[nodiscard]] std::vector<std::int64_t> read_stolen_ticks(std::istream& stat);

}  // namespace transrank::lab::machine
