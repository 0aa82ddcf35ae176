// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. The route between two lists of indices: entry i of a rank's `destination` list gets
/// the entry of equal index of whichever rank's `source` list. Indices are any numbers from 0 on; a
/// wanted one may be wanted more than once, by several ranks, and from this rank itself. An index
/// of the sources need not be wanted.
///
/// Throws mpi::AgreedError, the same on every rank, when an index is negative, is in the
/// sources twice, or is wanted and in none.
[[nodiscard]] route::Route lists_to_lists(const mpi::Communicator& comm,
                                          std::span<const std::int64_t> source,
                                          std::span<const std::int64_t> destination);

}  // namespace transrank::discovery
