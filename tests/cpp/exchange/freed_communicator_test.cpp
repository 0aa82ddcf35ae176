// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// A communicator is freed before what was bound over it: nothing that was made for it stays. What
// lives is seen through MPI's profiling interface.
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ring.hpp"
#include "transrank/array/array_transformer.hpp"
#include "transrank/collective/alltoall.hpp"
#include "world.hpp"

using namespace testing;
using transrank::collective::Alltoall;
using transrank::exchange::Exchange;
using transrank::exchange::Misuse;

namespace {

int living = 0;  // communicators

}  // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    ++living;
    return PMPI_Comm_dup(comm, made);
}

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    ++living;
    return PMPI_Comm_split(comm, color, key, made);
}

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                   MPI_Comm* made) {
    ++living;
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

extern "C" int MPI_Comm_free(MPI_Comm* comm) {
    --living;
    return PMPI_Comm_free(comm);
}

namespace {

using Bind = std::function<std::shared_ptr<Exchange>(const Ring&, MPI_Comm)>;

Bind along_a_route(const std::string& transport) {
    return [transport](const Ring& ring, MPI_Comm comm) {
        return std::make_shared<Exchange>(ring.bind(transport, comm));
    };
}

Bind to_all(const std::string& algorithm) {
    return [algorithm](const Ring&, MPI_Comm comm) {
        static std::vector<int> send(8);
        static std::vector<int> receive(8);
        return std::make_shared<Alltoall>(
            comm, send.data(), receive.data(), sizeof(int),
            transrank::collective::AlltoallOptions{.algorithm = algorithm});
    };
}

const std::vector<Bind> binds{along_a_route("auto"), along_a_route("shared-staged"),
                              along_a_route("message"), to_all("pairwise"), to_all("mpi")};

}  // namespace

TEST_CASE("what is over lets go of a communicator that is freed, and says so from then on") {
    for (const auto& bind : binds) {
        for (const bool runs : {true, false}) {
            CAPTURE(runs);
            const Ring ring(world_rank(), world_size(), true);
            const int before = living;
            MPI_Comm comm = MPI_COMM_NULL;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            const auto bound = bind(ring, comm);
            if (runs) {
                bound->run();
            }
            MPI_Comm_free(&comm);
            CHECK(living == before);
            CHECK_THROWS_AS(bound->start(), Misuse);
            CHECK_THROWS_AS(bound->run(), Misuse);
            CHECK_THROWS_AS((void)bound->explain(), Misuse);
            CHECK_THROWS_AS(bound->abandon("why"), Misuse);
            if (runs) {
                CHECK(bound->test());
                bound->wait();
            } else {
                CHECK_THROWS_AS((void)bound->test(), Misuse);
                CHECK_THROWS_AS(bound->wait(), Misuse);
            }
        }
    }
}

TEST_CASE("one rank's exchange lives when the communicator is freed, the others' have gone") {
    for (const auto& bind : binds) {
        CAPTURE(&bind - binds.data());
        const Ring ring(world_rank(), world_size(), true);
        const int before = living;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        auto bound = bind(ring, comm);
        auto other = bind(ring, comm);
        bound->run();
        if (world_rank() > 0) {
            bound.reset();
        }
        MPI_Comm_free(&comm);
        CHECK(living == before);
    }
}

TEST_CASE("what was dropped under way lets go of its communicator, too") {
    static std::vector<std::unique_ptr<Ring>> kept;  // MPI may read them until it is finalized
    const auto binds_that_end = std::span(binds).first(binds.size() - 1);
    for (const auto& bind : binds_that_end) {
        for (const std::int64_t units : {1, 300'000}) {  // sent at once, or when it is received
            for (const bool everywhere : {true, false}) {
                CAPTURE(&bind - binds.data());
                CAPTURE(units);
                CAPTURE(everywhere);
                const auto& ring = *kept.emplace_back(
                    std::make_unique<Ring>(world_rank(), world_size(), true, units, Home::user));
                const int before = living;
                MPI_Comm comm = MPI_COMM_NULL;
                MPI_Comm_dup(MPI_COMM_WORLD, &comm);
                auto bound = bind(ring, comm);
                bound->run();
                if (everywhere || world_rank() == 0) {
                    bound->start();
                }
                bound.reset();
                MPI_Comm_free(&comm);
                CHECK(living == before);
            }
        }
    }
}

TEST_CASE("what is dropped under way again and again takes no further communicator") {
    for (const std::string transport : {"message", "auto"}) {
        Ring(world_rank(), world_size(), true).bind(transport).run();
        const int before = living;
        for (int i = 0; i < 20; ++i) {
            Ring ring(world_rank(), world_size(), true);
            auto exchange = ring.bind(transport);
            ring.write(i);
            exchange.run();
            CHECK(ring.has_received(i));
            ring.write(-1);
            exchange.start();
        }
        CHECK(living == before);
    }
}

TEST_CASE("a persistent pull lets go of its transformer's communicator") {
    namespace ta = transrank::array;
    for (const std::string transport : {"auto", "message"}) {
        CAPTURE(transport);
        const int before = living;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const auto father = std::make_shared<ta::ParArray<double>>();
        const auto son = std::make_shared<ta::ParArray<double>>();
        father->resize(2);
        ta::ArrayTransformer<double> transformer(comm);
        transformer.set_father_son(father, son);
        transformer.create_global_mapping();
        transformer.create_ghost_mapping(
            std::vector<std::int64_t>{2 * ((world_rank() + 1) % world_size())});
        transrank::exchange::Options options;
        options.transport = transport;
        transformer.init_persistent_pull(options);
        transformer.start_persistent_pull();
        transformer.wait_persistent_pull();
        MPI_Comm_free(&comm);
        CHECK(living == before);
        CHECK_THROWS_AS(transformer.start_persistent_pull(), Misuse);
        CHECK_THROWS_AS(transformer.create_global_mapping(), Misuse);
    }
}

TEST_CASE("what is under way is waited for after its communicator was freed, and then over") {
    for (const std::string transport : {"auto", "shared-staged", "message"}) {
        CAPTURE(transport);
        Ring ring(world_rank(), world_size(), true);
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        auto exchange = ring.bind(transport, comm);
        ring.write(world_rank());
        exchange.start();
        MPI_Comm_free(&comm);
        exchange.wait();
        CHECK(ring.has_received(ring.previous()));
        CHECK(exchange.test());
        CHECK_THROWS_AS(exchange.start(), Misuse);
    }
}
