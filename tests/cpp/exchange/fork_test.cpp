// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2
// A child of fork inherits the exchanges of its parent and may destroy them, but is no rank:
// nothing that it does breaks the parent's.
#include <sys/wait.h>

#include "ring.hpp"

using namespace testing;

namespace {

/// Runs `work` in a child of rank 0; whether it returned true there.
template <class Work>
bool is_true_in_child_of_rank_0(const Work& work) {
    int status = 0;
    if (world_rank() == 0) {
        const auto child = fork();
        if (child == 0) {
            alarm(20);  // what waits for other ranks waits for ever
            _exit(work() ? 0 : 1);
        }
        waitpid(child, &status, 0);
    }
    return status == 0;
}

template <class Call>
bool is_misuse(const Call& call) {
    return words_of<Misuse>(call).find("is a child that an MPI process has forked") !=
           std::string::npos;
}

}  // namespace

TEST_CASE("a child of fork may destroy what it has inherited, also under way, but not use it") {
    for (const std::string way : {"auto", "kernel-copy", "shared-staged", "message"}) {
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
            CHECK(is_true_in_child_of_rank_0([&] {
                ring.write(9);
                return (!under_way || is_misuse([&] { (void)exchange->test(); })) &&
                       (!under_way || is_misuse([&] { exchange->wait(); })) &&
                       is_misuse([&] { exchange->start(); }) &&
                       is_misuse([&] { exchange->abandon("no"); }) &&
                       is_misuse([&] { (void)ring.bind(way); }) &&
                       is_misuse([&] { (void)ring.bind(way, MPI_COMM_SELF); });
            }));
            CHECK(is_true_in_child_of_rank_0([&] {
                exchange.reset();
                return true;
            }));
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
