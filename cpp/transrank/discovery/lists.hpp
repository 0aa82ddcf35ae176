// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::discovery {

/// Collective. Makes the route between two distributed lists of indices. Entry i of a rank's
/// `destination` list receives the entry that has the same index in the `source` list of any rank.
/// An index is any number from 0 on. It may occur any number of times in the `destination` lists,
/// on any ranks, or not at all.
///
/// Throws mpi::AgreedError, the same on every rank, if an index is negative, is in the source lists
/// twice, or is in a destination list but in no source list.
[[nodiscard]] route::Route lists_to_lists(const mpi::Communicator& comm,
                                          std::span<const std::int64_t> source,
                                          std::span<const std::int64_t> destination);

}  // namespace transrank::discovery
