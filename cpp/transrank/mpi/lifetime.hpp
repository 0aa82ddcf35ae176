// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>

namespace transrank::mpi {

/// Whether MPI may be called: objects that hold handles may outlive MPI_Finalize, and a child of
/// fork inherits them although it is not a rank.
[[nodiscard]] bool is_usable() noexcept;

/// Whether this process has not been forked from one in which MPI ran: such a child is not a rank,
/// and what it destroys belongs to its parent. Costs no system call.
[[nodiscard]] bool is_own_process() noexcept;

/// Throws Misuse in a child of fork, and once MPI is being finalized; for whatever needs the other
/// ranks and was made by way of `begin_to_use`. Costs neither a system call nor one of MPI.
void require_usable();

/// The same for what may be this process's first use of MPI: also before MPI_Init, and after
/// MPI_Finalize.
void begin_to_use();

/// Whether this thread may call MPI: under MPI_THREAD_FUNNELED only the main thread.
[[nodiscard]] bool may_call_here() noexcept;

/// Has `work` called when MPI_Finalize begins in this process, before it waits for other ranks.
void before_finalize(void (*work)() noexcept);

/// One object of a type for the whole process. Never destroyed: another thread may use it, and
/// arrays and exchanges may outlive main().
template <class T>
[[nodiscard]] T& lasting() {
    static auto* const one = new T;
    return *one;
}

/// Uninitialised memory for messages.
using Buffer = std::unique_ptr<std::byte[]>;

/// For memory of a request that was abandoned: MPI may still read or write it.
void keep_for_ever(std::shared_ptr<void> memory);

}  // namespace transrank::mpi
