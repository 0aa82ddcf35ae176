// SPDX-License-Identifier: BSD-3-Clause
// Ranks that come to MPI_Finalize early. Run by test_ended_rank.py: finalize_program SCENARIO.
#include "ring.hpp"

using namespace testing;

namespace {

/// When the ranks free the communicator to which their exchanges are bound.
enum class Freed : std::uint8_t { never, after_the_exchanges, before_the_exchanges };

// All ranks but the first keep their exchanges a while longer, and go on to use MPI.
void late(Freed freed) {
    MPI_Comm comm = MPI_COMM_WORLD;
    if (freed != Freed::never) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    const Ring ring(world_rank(), world_size(), true);
    std::vector<Exchange> exchanges;
    for (int i = 0; i < 4; ++i) {
        exchanges.push_back(ring.bind("message", comm));
        exchanges.back().run();
    }
    if (freed == Freed::before_the_exchanges) {
        if (world_rank() == 0) {
            exchanges.clear();  // it learns from the others that theirs are there still
        }
        MPI_Comm_free(&comm);
    }
    const std::chrono::milliseconds later{world_rank() > 0 ? 400 : 0};
    for (; !exchanges.empty(); exchanges.pop_back()) {
        std::this_thread::sleep_for(later);
        int there = 0;
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    if (freed == Freed::after_the_exchanges) {
        MPI_Comm_free(&comm);
    }
}

// The first rank comes to MPI_Finalize with its exchange, while the others wait for it, there or
// where they bind another one. Whether they are told.
bool kept(bool bind) {
    static const Ring ring(world_rank(), world_size(), true);
    static auto* const exchange = new Exchange(ring.bind("message"));
    exchange->run();
    if (world_rank() == 0) {
        return true;
    }
    try {
        if (bind) {
            (void)ring.bind("message");
        }
        // A rank that the first one only receives from learns of it from the next one.
        for (int i = 0; i < 3; ++i) {
            exchange->run();
        }
    } catch (const BrokenExchange&) {
        return true;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::string scenario = argv[1];
    bool good = true;
    if (scenario == "late") {
        late(Freed::never);
    } else if (scenario == "freed") {
        late(Freed::after_the_exchanges);
    } else if (scenario == "outlived") {
        late(Freed::before_the_exchanges);
    } else {
        good = kept(scenario == "bind");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
