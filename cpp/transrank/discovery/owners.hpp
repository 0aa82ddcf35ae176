// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/discovery/numbering.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// Collective. Throws mpi::AgreedError unless all ranks pass the same owners. Ranks that look them
/// up ask others than those that work them out.
void agree_on_owners(const mpi::Communicator& comm, const layout::Distribution& owners);
void agree_on_owners(const mpi::Communicator& comm, const Numbering& owners);

/// Throws std::invalid_argument unless there is a part for each of `ranks` ranks.
void check_parts(const layout::Distribution& owners, int rank, int ranks);

}  // namespace transrank::discovery
