// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/lifetime.hpp"

#include <mpi.h>

#include <atomic>
#include <forward_list>
#include <mutex>
#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace transrank::mpi {

namespace {

std::atomic<pid_t> owner{0};  // 0: nobody has claimed this process yet

}  // namespace

void claim_process() noexcept {
    owner.store(getpid(), std::memory_order_relaxed);
}

bool is_own_process() noexcept {
    const auto claimed = owner.load(std::memory_order_relaxed);
    return claimed == 0 || claimed == getpid();
}

bool is_usable() noexcept {
    int finalized = 0;
    return is_own_process() && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0;
}

bool may_call_here() noexcept {
    int level = MPI_THREAD_SINGLE;
    int is_main = 1;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
        MPI_Is_thread_main(&is_main);
    }
    return is_main != 0;
}

void keep_for_ever(std::shared_ptr<void> memory) {
    static std::mutex mutex;
    static auto* const kept = new std::forward_list<std::shared_ptr<void>>;  // never destroyed
    const std::lock_guard lock(mutex);
    kept->push_front(std::move(memory));
}

}  // namespace transrank::mpi
