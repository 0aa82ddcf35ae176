// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Several exchanges under way at once: started and waited for in different orders on different
// ranks, by different transports, and destroyed in different orders.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>

#include "pretended_nodes.hpp"
#include "scenario.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;
using transrank::exchange::Options;

namespace {

const std::vector<std::string> servants{"auto", "shared-staged", "message"};

/// A scenario with its arrays, bound.
struct Bound {
    Scenario scenario;
    Arrays arrays;
    std::unique_ptr<Exchange> exchange;

    Bound(Scenario some, const std::string& transport)
        : scenario(std::move(some)), arrays(scenario, world_rank()) {
        Options options;
        options.operation = scenario.operation;
        options.transport = transport;
        exchange = std::make_unique<Exchange>(scenario.pattern.route(world_rank()), all_ranks,
                                              arrays.fields(), options);
    }
};

std::vector<std::unique_ptr<Bound>> bind_some(std::uint64_t seed, bool shared_everywhere) {
    Random random(seed);
    std::vector<std::unique_ptr<Bound>> all;
    for (std::uint64_t i = 0; i < 6; ++i) {
        auto transport = servants[static_cast<std::size_t>(between(random, 0, 2))];
        if (!shared_everywhere && transport == "shared-staged") {
            transport = "auto";
        }
        all.push_back(
            std::make_unique<Bound>(random_scenario((seed * 100) + i, world_size()), transport));
    }
    return all;
}

/// An order of its own on every rank.
std::vector<std::size_t> some_order(Random& random, std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, random);
    return order;
}

void run_at_once(std::uint64_t seed, bool shared_everywhere) {
    CAPTURE(seed);
    auto all = bind_some(seed, shared_everywhere);
    Random random(seed + static_cast<std::uint64_t>(world_rank()));
    for (int epoch = 0; epoch < 10; ++epoch) {
        for (const auto i : some_order(random, all.size())) {
            all[i]->arrays.fill(epoch);
            all[i]->exchange->start();
        }
        for (const auto i : some_order(random, all.size())) {
            all[i]->exchange->wait();
            CHECK(all[i]->arrays.difference(epoch) == "");
        }
    }
    for (const auto i : some_order(random, all.size())) {
        all[i]->exchange.reset();
    }
}

}  // namespace

TEST_CASE("waits may come in any order on different ranks") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        run_at_once(seed, true);
    }
}

TEST_CASE("waits may come in any order on different ranks of different nodes") {
    const PretendedNodes nodes(2);
    for (std::uint64_t seed = 11; seed <= 14; ++seed) {
        run_at_once(seed, world_size() <= 2);
    }
}

TEST_CASE("opposite orders of two exchanges do not block each other") {
    for (const auto& transport : servants) {
        CAPTURE(transport);
        std::array<Bound, 2> both{Bound(random_scenario(98, world_size()), transport),
                                  Bound(random_scenario(99, world_size()), transport)};
        const auto first = static_cast<std::size_t>(world_rank() % 2);
        for (int epoch = 0; epoch < 20; ++epoch) {
            for (auto& bound : both) {
                bound.arrays.fill(epoch);
                bound.exchange->start();
            }
            both[first].exchange->wait();
            both[1 - first].exchange->wait();
            for (auto& bound : both) {
                CHECK(bound.arrays.difference(epoch) == "");
            }
        }
    }
}

TEST_CASE("many exchanges do not use up file descriptors of their own") {
    const auto open_files = [] {
        const std::filesystem::directory_iterator all("/proc/self/fd");
        return std::distance(begin(all), end(all));
    };
    const auto scenario = random_scenario(5, world_size());
    const Arrays arrays(scenario, world_rank());
    for (const auto& transport : servants) {
        CAPTURE(transport);
        Options options;
        options.operation = scenario.operation;
        options.transport = transport;
        std::vector<Exchange> all;
        const auto bind = [&] {
            all.emplace_back(scenario.pattern.route(world_rank()), all_ranks, arrays.fields(),
                             options);
        };
        bind();  // takes what this communicator needs once
        const auto before = open_files();
        for (int i = 0; i < 100; ++i) {
            bind();
        }
        CHECK(open_files() <= before + 1);
    }
}
