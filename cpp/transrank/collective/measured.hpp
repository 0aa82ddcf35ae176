// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/collective/task.hpp"

namespace transrank::collective {

/// Collective over ranks that all share memory, each with a core of its own. Whether MPI's own
/// alltoall of arrays that are not shared costs clearly less than on-node-direct, which copies
/// twice: it depends on the MPI, on the distance of the cores and on the length of the blocks. Both
/// move blocks of about the mean length of the task's in arrays of this call, which takes
/// milliseconds; once for each power of two and communicator, for equal blocks and for others.
[[nodiscard]] bool mpi_is_faster(const Task& task);

}  // namespace transrank::collective
