// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Not collective. Throws std::invalid_argument when the route was made for another rank or
/// another number of ranks.
void check_belongs(const route::Route& route, const mpi::Communicator& comm);

/// Collective. Throws mpi::AgreedError unless the ranks' routes are one movement: each belongs to
/// its rank, and every leg stands with the same segments in its sender's sends and its receiver's
/// receives. The error names the two ranks and what each of them holds.
void check_consistent(const mpi::Communicator& comm, const route::Route& route);

}  // namespace transrank::discovery
