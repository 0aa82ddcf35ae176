// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace transrank::machine {

/// This host's name.
[[nodiscard]] std::string host_name();

/// The CPUs this thread may run on, as the kernel writes lists: `0-3,8`.
[[nodiscard]] std::string allowed_cpus();

/// The CPU this thread runs on now, -1 where the kernel does not say.
[[nodiscard]] int current_cpu();

/// How often this thread has lost its core to somebody else so far (involuntary context switches).
[[nodiscard]] std::int64_t involuntary_switches();

/// Time that a hypervisor has taken from all CPUs of this machine so far, in clock ticks;
/// 0 where the kernel does not count it.
[[nodiscard]] std::int64_t stolen_ticks();

}  // namespace transrank::machine
