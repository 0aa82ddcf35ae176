// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// A redistribution is a route, made once or given, and an exchange along it, with that one's life.
// How often a route is made is seen through MPI's profiling interface.
#include "../exchange/counted_calls.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/transport/failure.hpp"
#include "world.hpp"

using namespace testing;
using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;
using redistribution::Points;
using redistribution::Redistribution;

namespace {

constexpr std::int64_t cells = 30;

/// Numbers of cells, from blocks to a list of every so many of them.
struct Scene {
    BlockGrid grid{{Distribution::even(cells, world_size())}};
    Points points;
    std::vector<double> before;
    std::vector<double> after;

    Scene() {
        const auto own = grid.box(world_rank()).front();
        before.resize(static_cast<std::size_t>(own.length()));
        std::iota(before.begin(), before.end(), static_cast<double>(own.begin));
        for (std::int64_t cell = world_rank(); cell < cells; cell += world_size()) {
            points.cells.push_back(cell);
        }
        after.resize(points.cells.size(), -1);
    }

    [[nodiscard]] std::vector<copy::Field> fields() {
        return {{.source = std::as_bytes(std::span(before)).data(),
                 .source_bytes = static_cast<std::int64_t>(8 * before.size()),
                 .destination = std::as_writable_bytes(std::span(after)).data(),
                 .destination_bytes = static_cast<std::int64_t>(8 * after.size()),
                 .unit_bytes = 8}};
    }

    /// Changes what is to be sent.
    void add(double value) {
        for (auto& each : before) {
            each += value;
        }
    }
    [[nodiscard]] bool has_arrived(double added) const {
        return std::ranges::equal(after, points.cells, [&](double value, std::int64_t cell) {
            return value == static_cast<double>(cell) + added;
        });
    }
};

}  // namespace

TEST_CASE("a route is made once: to store costs the collectives of an exchange, however often") {
    Scene scene;
    Redistribution redistribution(MPI_COMM_WORLD, scene.grid, scene.points);
    const auto collectives_of = [](const auto& work) {
        collective_calls = 0;
        work();
        return collective_calls;
    };
    const auto bind = [&] {
        const exchange::Exchange bound(redistribution.route(), MPI_COMM_WORLD, scene.fields());
    };
    bind();  // what a communicator needs once
    const int of_exchange = collectives_of(bind);
    CHECK(of_exchange > 0);
    for (int i = 0; i < 2; ++i) {
        CHECK(collectives_of([&] { redistribution.store(scene.fields()); }) == of_exchange);
    }
}

TEST_CASE("it has the life of an exchange, and is used no more when it was moved from or closed") {
    Scene scene;
    Redistribution one(MPI_COMM_WORLD, scene.grid, scene.points);
    CHECK_THROWS_WITH_AS(one.start(), "nothing is stored that could be moved; call store first",
                         std::logic_error);
    one.store(scene.fields());
    one.start();
    while (!one.test()) {
    }
    CHECK(scene.has_arrived(0));
    scene.add(1);
    one.run();  // another one: what was tested is over
    CHECK(scene.has_arrived(1));
    scene.add(1);
    one.start();
    while (!one.wait_for(0)) {
    }
    CHECK(scene.has_arrived(2));
    auto other = std::move(one);
    CHECK_THROWS_AS(one.run(), exchange::Misuse);
    CHECK_THROWS_AS((void)one.test(), exchange::Misuse);
    CHECK_THROWS_AS(one.store(scene.fields()), mpi::AgreedError);
    CHECK_THROWS_AS((void)one.route().transposed(), std::invalid_argument);
    scene.add(1);
    other.start();
    other.run();  // goes on with what is under way
    CHECK(scene.has_arrived(3));
    CHECK(other.explain().find("rank") != std::string::npos);
    other.close();
    CHECK_THROWS_AS(other.run(), std::logic_error);
}

TEST_CASE("it goes along a route that exists, here the way back of another one") {
    Scene scene;
    Redistribution there(MPI_COMM_WORLD, scene.grid, scene.points);
    Redistribution back(MPI_COMM_WORLD, there.route().transposed());
    auto field = scene.fields().front();
    there.store({field});
    there.start();
    there.wait();
    const auto sent = scene.before;
    scene.add(-1000);
    std::swap(field.destination_bytes, field.source_bytes);
    field.source = std::as_bytes(std::span(scene.after)).data();
    field.destination = std::as_writable_bytes(std::span(scene.before)).data();
    back.store({field});
    back.run();
    CHECK(scene.before == sent);
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
        CHECK_THROWS_WITH_AS(back.abandon("no reason"), "no reason", exchange::Misuse);
    } else {
        CHECK_THROWS_AS(back.run(), transport::BrokenExchange);
    }
}
