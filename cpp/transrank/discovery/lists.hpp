// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. Makes the route between two lists of indices: entry i of a rank's `destination` list
/// receives the entry with the same index in the `source` list of any rank. Indices are any numbers
/// from 0 on. The `destination` lists may contain an index more than once, on several ranks, and on
/// the rank that has it, or not at all.
///
/// Throws mpi::AgreedError, the same on every rank, when an index is negative, is in the source
/// lists twice, or is in a destination list but in no source list.
[[nodiscard]] route::Route lists_to_lists(const mpi::Communicator& comm,
                                          std::span<const std::int64_t> source,
                                          std::span<const std::int64_t> destination);

}  // namespace transrank::discovery
