// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// Collective over each pair of ranks that name each other among their `peers`, once each: sends
/// the i-th of equal parts of `sent` to the i-th of them, and receives its words to this rank into
/// the i-th part of `received`, which is as long.
void swap_with(const Communicator& comm, std::span<const int> peers, int tag,
               std::span<const std::byte> sent, std::span<std::byte> received);

}  // namespace transrank::mpi
