// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// Where steal is read: in the system, or in a test's values.
struct StealSource {
    std::function<std::vector<std::int64_t>()> stolen_ticks;  ///< of each CPU so far
    std::function<int()> current_cpu;                         ///< -1: unknown
};

/// The system's.
[[nodiscard]] StealSource system_steal();

/// Watches whether a hypervisor takes time from the CPUs on which the ranks of a node run; what it
/// takes from other CPUs disturbs no rank.
class StealWatch {
public:
    /// The reference is kept.
    explicit StealWatch(const mpi::Communicator& node, StealSource source = system_steal());

    void begin();

    /// Collective over the node. Whether, since begin(), time was stolen from a CPU on which some
    /// rank of the node was then or is now. The node's first rank learns it; false on the others.
    [[nodiscard]] bool end();

private:
    const mpi::Communicator& node_;
    StealSource source_;
    int cpu_ = -1;
    std::vector<std::int64_t> before_;
};

}  // namespace transrank::lab::measure
