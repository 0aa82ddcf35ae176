// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace transrank::mpi {

/// Whether MPI may be called: objects that hold handles may outlive MPI_Finalize, and a child of
/// fork inherits them although it is no rank.
[[nodiscard]] bool is_usable() noexcept;

/// Whether this process is the one that made its communicators, not a child that it has forked:
/// what such a child destroys belongs to its parent.
[[nodiscard]] bool is_own_process() noexcept;

/// To be called where a communicator is made.
void claim_process() noexcept;

/// Whether this thread may call MPI: under MPI_THREAD_FUNNELED only the main thread.
[[nodiscard]] bool may_call_here() noexcept;

/// Uninitialised memory for messages.
using Buffer = std::unique_ptr<std::byte[]>;

/// For what belongs to a request that was given up: MPI may still read or write it.
void keep_for_ever(std::shared_ptr<void> memory);

}  // namespace transrank::mpi
