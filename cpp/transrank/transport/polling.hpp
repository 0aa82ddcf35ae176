// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::transport {

/// Whether waiting means that MPI must be called again and again. The greater one counts where
/// several exchanges are waited for.
enum class Polling : std::uint8_t {
    none,
    for_node,  ///< by this rank, and by no other one of its node for the same messages
    own        ///< by each rank for its own messages
};

}  // namespace transrank::transport
