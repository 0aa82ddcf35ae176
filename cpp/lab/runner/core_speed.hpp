// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::runner {

/// How fast the ranks' cores compute: what a fixed piece of work takes, the same on every machine.
/// It keeps all arithmetic units of a core busy and touches no memory, so it slows down when
/// the core runs at a lower frequency, and when another program computes on the core's other
/// thread: on a virtual machine a neighbor that nothing else shows.
class CoreSpeed {
public:
    /// Collective.
    explicit CoreSpeed(const mpi::Communicator& world);

    /// Whether ranks have a core each, on every node; where they share some, the work would tell of
    /// each other. The same on all ranks.
    [[nodiscard]] bool measurable() const noexcept { return measurable_; }

    /// Collective. Seconds of the work on the slowest rank's core, on rank 0; unspecified
    /// elsewhere.
    [[nodiscard]] static double work_seconds(const mpi::Communicator& comm);

private:
    bool measurable_;
};

}  // namespace transrank::lab::runner
