// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/mpi/communicator.hpp"

namespace transrank::runner {

/// Collective. Seconds that a fixed piece of work, the same on every machine, takes now on the
/// slowest rank's core; on rank 0, on the others an unspecified value. It keeps all arithmetic
/// units of a core busy and touches no memory, so that it tells when the core runs at a lower
/// frequency, and when somebody else computes on the same core's other thread: on a virtual machine
/// a neighbor, whom nothing else shows.
[[nodiscard]] double core_work_seconds(const mpi::Communicator& comm);

}  // namespace transrank::runner
