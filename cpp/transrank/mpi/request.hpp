// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

namespace transrank::mpi {

/// What a rank goes on doing while it waits in a collective operation, so that peers which need it
/// elsewhere get there, too. May be empty.
using Meanwhile = std::function<void()>;

/// Returns when the request has completed; calls `meanwhile` again and again until then.
void complete(MPI_Request& request, const Meanwhile& meanwhile);

/// Lets others run: `idle_rounds` says how often this was called without anything having happened
/// in between. The ranks waited for may need this core.
void pause(int idle_rounds);

}  // namespace transrank::mpi
