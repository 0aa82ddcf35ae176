// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/collective/task.hpp"

namespace transrank::collective {

/// Collective over ranks that all share memory, each with a core of its own. Whether MPI's own
/// alltoall of private arrays was measured to cost clearly less than on-node-direct. That depends
/// on the MPI, on the distance of the cores and on the length of the blocks. A measurement takes
/// milliseconds: both move blocks of about the mean length of the task's, in arrays of this call.
/// There is one for each communicator and power of two, for equal blocks and for others.
[[nodiscard]] bool mpi_is_faster(const Task& task);

}  // namespace transrank::collective
