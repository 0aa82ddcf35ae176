// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// Exchanges whose end is not where their beginning was.
#include <doctest/doctest.h>
#include <mpi.h>

#include "ring.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;

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
    for (const std::string transport : {"auto", "shared-staged", "message"}) {
        auto& exchange = survivors.exchanges.emplace_back(new_ring().bind(transport));
        if (world_rank() == 0) {
            CHECK_THROWS(exchange.wait());
        } else {
            CHECK_THROWS([&] {
                while (true) {
                    exchange.run();
                }
            }());
        }
    }
}

TEST_CASE(
    "exchanges may be destroyed in any order on different ranks, also while new ones are made") {
    std::vector<std::unique_ptr<Ring>> rings;
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (const auto& transport : {"auto", "message", "shared-staged", "message", "auto"}) {
        rings.push_back(std::make_unique<Ring>(world_rank(), world_size(), true));
        exchanges.push_back(std::make_unique<Exchange>(rings.back()->bind(transport)));
        exchanges.back()->run();
        // Another one on every rank.
        exchanges[static_cast<std::size_t>(world_rank()) % exchanges.size()].reset();
    }
    while (!exchanges.empty()) {
        const auto one = world_rank() % 2 == 0 ? exchanges.begin() : exchanges.end() - 1;
        exchanges.erase(one);
    }
    auto& ring = *rings.front();
    auto exchange = ring.bind("message");
    ring.write(3);
    exchange.run();
    CHECK(ring.has_received(3));
}

TEST_CASE("an exchange may be moved") {
    Ring ring(world_rank(), world_size(), true);
    auto first = ring.bind("auto");
    first.start();
    auto second = std::move(first);
    second.wait();
    ring.write(11);
    first = ring.bind("message");
    first.run();
    second = std::move(first);
    ring.write(12);
    second.run();
    CHECK(ring.has_received(12));
}

TEST_CASE("waiting for a while leaves an exchange under way") {
    for (const std::string way : {"auto", "shared-staged", "message"}) {
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
