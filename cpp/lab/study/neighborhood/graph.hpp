// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study::neighborhood {

/// Collective. The ranks of `comm` as a graph for neighborhood collectives: this one receives from
/// `sources` and sends to `destinations`.
[[nodiscard]] mpi::Communicator adjacent(const mpi::Communicator& comm,
                                         std::span<const int> sources,
                                         std::span<const int> destinations);

}  // namespace transrank::lab::study::neighborhood
