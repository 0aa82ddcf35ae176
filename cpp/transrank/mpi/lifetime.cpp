// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/lifetime.hpp"

#include <mpi.h>

#include <forward_list>
#include <mutex>
#include <utility>

namespace transrank::mpi {

bool is_usable() noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized == 0;
}

void keep_for_ever(std::shared_ptr<void> memory) {
    static std::mutex mutex;
    static auto* const kept = new std::forward_list<std::shared_ptr<void>>;  // never destroyed
    const std::lock_guard lock(mutex);
    kept->push_front(std::move(memory));
}

}  // namespace transrank::mpi
