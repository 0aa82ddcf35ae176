// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "transrank/schedule/algorithm.hpp"

namespace transrank::lab::runner {

/// What each rank of an alltoall sends and receives, in blocks, by its schedule. The first line is
/// of the algorithm: its steps, the longest chain of messages in which each waits for the one
/// before (those of one block), and the bytes of the buffers of a rank. One for each rank and each
/// node follow, as of routes.
[[nodiscard]] std::string count_alltoall(const schedule::Algorithm& algorithm,
                                         const schedule::Problem& problem,
                                         std::int64_t block_bytes);

}  // namespace transrank::lab::runner
