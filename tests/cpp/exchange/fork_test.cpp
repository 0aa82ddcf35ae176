// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2
// A child of fork inherits the exchanges of its parent and may destroy them: that must not break
// the parent's.
#include <doctest/doctest.h>
#include <mpi.h>

#include <memory>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;

TEST_CASE("a child of fork may destroy what it has inherited, also while it is under way") {
    for (const std::string way : {"auto", "shared-staged", "message", "neighborhood"}) {
        for (const bool under_way : {false, true}) {
            CAPTURE(way);
            CAPTURE(under_way);
            Ring ring(world_rank(), world_size(), true);
            auto exchange = std::make_unique<Exchange>(ring.bind(way));
            ring.write(3);
            // The other ranks start later, so it cannot be over.
            if (under_way && world_rank() == 0) {
                exchange->start();
            }
            if (world_rank() == 0) {
                const auto child = fork();
                if (child == 0) {
                    exchange.reset();
                    _exit(0);
                }
                int status = 0;
                waitpid(child, &status, 0);
                CHECK(WIFEXITED(status));
                CHECK(WEXITSTATUS(status) == 0);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (!under_way || world_rank() != 0) {
                exchange->start();
            }
            exchange->wait();
            CHECK(ring.has_received(3));
            ring.write(4);
            exchange->run();
            CHECK(ring.has_received(4));
        }
    }
}
