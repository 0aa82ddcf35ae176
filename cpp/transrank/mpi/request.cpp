// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/request.hpp"

#include <chrono>
#include <thread>

#include "transrank/mpi/error.hpp"

namespace transrank::mpi {

void complete(MPI_Request& request, const Meanwhile& meanwhile) {
    for (int idle_rounds = 0;; ++idle_rounds) {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done != 0) {
            return;
        }
        if (meanwhile) {
            meanwhile();
        }
        pause(idle_rounds);
    }
}

void pause(int idle_rounds) {
    constexpr int rounds_before_sleep = 200;
    constexpr auto sleep = std::chrono::microseconds(50);
    if (idle_rounds < rounds_before_sleep) {
        std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(sleep);
    }
}

}  // namespace transrank::mpi
