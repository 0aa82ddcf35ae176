// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/discovery/numbering.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::discovery {

/// The rows that a rank believes another one to own. Sent along with requests for the owner's rows,
/// so that ranks with different tables are detected.
struct View {
    std::int64_t extent = 0;
    std::int64_t owned = 0;
    std::int64_t begin = 0;  ///< the first range
    std::int64_t end = 0;
    friend bool operator==(const View&, const View&) = default;
};

[[nodiscard]] View view_of(const layout::Distribution& owners, int owner);

/// Throws std::invalid_argument naming both ranks when `seen`, what rank `viewer` believes of
/// `owner`, is not what that one owns.
void check_view(const View& own, int owner, int viewer, const View& seen);

/// Collective. Throws mpi::AgreedError unless all ranks pass the same owners. Ranks that look them
/// up ask others than those that work them out.
void agree_on_owners(const mpi::Communicator& comm, const layout::Distribution& owners);
void agree_on_owners(const mpi::Communicator& comm, const Numbering& owners);

/// Throws std::invalid_argument unless there is a part for each of `ranks` ranks.
void check_parts(const layout::Distribution& owners, int rank, int ranks);

}  // namespace transrank::discovery
