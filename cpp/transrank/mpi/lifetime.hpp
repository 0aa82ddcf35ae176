// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace transrank::mpi {

/// Whether MPI may be called: objects that hold handles may outlive MPI_Finalize.
[[nodiscard]] bool is_usable() noexcept;

/// Uninitialised memory for messages.
using Buffer = std::unique_ptr<std::byte[]>;

/// For what belongs to a request that was given up: MPI may still read or write it.
void keep_for_ever(std::shared_ptr<void> memory);

}  // namespace transrank::mpi
