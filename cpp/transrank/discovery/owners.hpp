// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "transrank/layout/distribution.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// What a rank does, in words, whose owners are not those of rank 0.
inline constexpr std::string_view owners_differ = "gives as owners of rows";

/// Collective. As mpi::agreed, for ranks that pass the same owners, a Distribution or a Numbering.
/// Ranks that look them up ask others than those that work them out.
template <class Owners, class Work>
[[nodiscard]] auto agreed_for(const mpi::Communicator& comm, const Owners& owners,
                              const Work& work) {
    return mpi::agreed(comm, work, owners_differ, {owners.words()});
}

/// Throws std::invalid_argument unless there is a part for each rank.
inline void check_parts(const layout::Distribution& owners, const mpi::Communicator& comm) {
    layout::require(owners.parts() == comm.size(), "on rank ", comm.rank(),
                    " the distribution has ", owners.parts(), " parts, but the communicator has ",
                    comm.size(), " ranks; each rank owns one part");
}

}  // namespace transrank::discovery
