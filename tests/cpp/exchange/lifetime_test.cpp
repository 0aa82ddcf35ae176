// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// Exchanges whose end is not where their beginning was.
#include "ring.hpp"

using namespace testing;

namespace {

/// Destroyed after main(), which calls MPI_Finalize.
struct Survivors {
    std::vector<std::unique_ptr<Ring>> rings;
    std::vector<Exchange> exchanges;
};
Survivors survivors;

Ring& new_ring() {
    survivors.rings.push_back(std::make_unique<Ring>(world_rank(), world_size(), true));
    return *survivors.rings.back();
}

}  // namespace

TEST_CASE("an exchange may be destroyed after MPI_Finalize") {
    for (const auto& transport : transports()) {
        if (transport == "self-copy" && world_size() > 1) {
            continue;
        }
        auto& ring = new_ring();
        auto& exchange = survivors.exchanges.emplace_back(ring.bind(transport));
        ring.write(7);
        exchange.run();
        CHECK(ring.has_received(7));
    }
}

TEST_CASE("an exchange that was broken may be destroyed after MPI_Finalize") {
    for (const std::string transport : {"auto", "kernel-copy", "shared-staged", "message"}) {
        auto& exchange = survivors.exchanges.emplace_back(new_ring().bind(transport));
        break_from_rank_0(exchange);
    }
}

TEST_CASE("waiting for a while leaves an exchange under way") {
    for (const std::string way : {"auto", "kernel-copy", "shared-staged", "message"}) {
        CAPTURE(way);
        Ring ring(world_rank(), world_size(), true);
        auto exchange = ring.bind(way);
        ring.write(5);
        if (world_rank() == 0) {
            exchange.start();
            const bool alone = world_size() == 1;
            CHECK(exchange.wait_for(0.01) == alone);
            MPI_Barrier(MPI_COMM_WORLD);
            if (!alone) {
                CHECK(exchange.wait_for(1e9));
            }
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            exchange.run();
        }
        CHECK(ring.has_received(5));
    }
}
