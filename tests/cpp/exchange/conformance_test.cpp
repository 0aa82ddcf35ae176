// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// What every transport must do, for every transport of the table and for `auto`: the same as a
// serial oracle, bit by bit.
#include <deque>

#include "pretended_nodes.hpp"
#include "scenario.hpp"

using namespace testing;

namespace {

/// Whether shared memory can move a leg in one copy.
bool passes_directly(const Scenario& scenario, int from, int to) {
    for (std::size_t i = 0; i < scenario.kinds.size(); ++i) {
        if (!scenario.is_reachable(from, i, 0) &&
            (scenario.ordered(to) || !scenario.is_reachable(to, i, 1))) {
            return false;
        }
    }
    return true;
}

/// Whether a transport can serve the scenario, by what its documentation says.
bool can_serve(const std::string& transport, const Scenario& scenario) {
    return std::ranges::all_of(scenario.pattern.legs, [&](const auto& leg) {
        const auto [from, to] = leg.first;
        const int per_node =
            pretended_ranks_per_node == 0 ? world_size() : pretended_ranks_per_node;
        const bool same_node = from / per_node == to / per_node;
        if (from == to) {
            return true;
        }
        if (transport == "self-copy") {
            return false;
        }
        if (transport == "shared-direct") {
            return same_node && passes_directly(scenario, from, to);
        }
        if (transport == "kernel-copy") {
            return same_node && scenario.operation == Operation::assign &&
                   scenario.is_dense(from) && scenario.is_dense(to);
        }
        if (transport == "shared-staged") {
            return same_node;
        }
        return true;
    });
}

/// Binds, or notes that every rank refused in the same words.
std::optional<Exchange> bound_to(const Scenario& scenario, const std::deque<Arrays>& sets,
                                 Options options) {
    std::vector<std::vector<transrank::copy::Field>> fields;
    std::ranges::transform(sets, std::back_inserter(fields), &Arrays::fields);
    auto first = std::move(fields.front());
    fields.erase(fields.begin());
    options.any_memory = scenario.starts == Starts::any;
    try {
        return Exchange(scenario.pattern.route(world_rank()), all_ranks, std::move(first),
                        std::move(fields), options);
    } catch (const transrank::mpi::AgreedError& error) {
        const std::string words = error.what();
        CHECK(words.find("transport " + options.transport + " cannot serve") == 0);
        CHECK(same_on_all_ranks(words));
        return std::nullopt;
    }
}

void sleep_a_little(Random& random) {
    if (chance(random, 0.3)) {
        std::this_thread::sleep_for(std::chrono::microseconds(between(random, 0, 2000)));
    }
}

void finish(Exchange& exchange, Random& random) {
    if (chance(random, 0.5)) {
        exchange.wait();
        return;
    }
    while (!exchange.test()) {
        std::this_thread::yield();
    }
}

/// Moves again and again, without a barrier and with ranks out of step.
void run(const Scenario& scenario, const Options& options, int epochs) {
    std::deque<Arrays> sets;
    for (int set = 0; set < (scenario.starts == Starts::sets ? 3 : 1); ++set) {
        sets.emplace_back(scenario, world_rank());
    }
    auto exchange = bound_to(scenario, sets, options);
    CHECK(exchange.has_value() == can_serve(options.transport, scenario));
    if (!exchange) {
        return;
    }
    Random random(scenario.seed + static_cast<std::uint64_t>(world_rank()));
    for (int epoch = 0; epoch < epochs; ++epoch) {
        if (scenario.starts == Starts::any && chance(random, 0.5)) {
            sets.emplace_back(scenario, world_rank());
        }
        const auto set = random() % sets.size();
        const auto& arrays = sets[set];
        arrays.fill(epoch);
        sleep_a_little(random);
        if (set == 0 && scenario.starts != Starts::any && chance(random, 0.5)) {
            exchange->start();
        } else {
            exchange->start_with(arrays.fields());
        }
        sleep_a_little(random);
        finish(*exchange, random);
        CHECK(arrays.difference(epoch) == "");
    }
}

Options random_options(const std::string& transport, const Scenario& scenario) {
    Random random(scenario.seed + 1);
    Options options;
    options.operation = scenario.operation;
    options.transport = transport;
    if (chance(random, 0.7)) {
        options.push_below_bytes = between(random, 0, 2) * between(random, 1, 60);
    }
    if (chance(random, 0.3)) {
        options.longest_message_bytes = between(random, 1, 40);
    }
    if (chance(random, 0.5)) {
        options.stores = transrank::copy::Stores::streamed;
    }
    options.together = chance(random, 0.5);
    return options;
}

void run_random_scenarios(int first, int count) {
    for (const auto& transport : transports()) {
        CAPTURE(transport);
        for (int seed = first; seed < first + count; ++seed) {
            CAPTURE(seed);
            const auto scenario = random_scenario(static_cast<std::uint64_t>(seed), world_size());
            run(scenario, random_options(transport, scenario), seed % 4 == 0 ? 12 : 3);
        }
    }
}

}  // namespace

TEST_CASE("every transport agrees with a serial oracle") {
    run_random_scenarios(0, 16);
}

TEST_CASE("every transport agrees with a serial oracle when ranks are on different nodes") {
    if (world_size() > 2) {
        const PretendedNodes nodes(2);
        run_random_scenarios(1000, 8);
    }
    if (world_size() > 1) {
        const PretendedNodes nodes(1);
        run_random_scenarios(2000, 4);
    }
}

TEST_CASE("a NaN of the owner, of a ghost, of both and of several stays in min and max") {
    for (const auto& transport : transports()) {
        for (int seed = 5000; seed < 5012; ++seed) {
            CAPTURE(transport);
            CAPTURE(seed);
            auto scenario = random_scenario(static_cast<std::uint64_t>(seed), world_size());
            scenario.operation = seed % 2 == 0 ? Operation::min : Operation::max;
            scenario.kinds.assign(
                2, {.scalar = seed % 4 < 2 ? Scalar::float32 : Scalar::float64, .unit_bytes = 80});
            run(scenario, random_options(transport, scenario), 2);
        }
    }
}

// Staged legs go by portions of 64 KiB; who only sends may be ahead of who only receives. The
// kernel copies what `auto` gives it: long runs.
TEST_CASE("legs of many portions agree with the serial oracle") {
    for (const std::string transport : {"shared-staged", "kernel-copy", "auto"}) {
        for (std::uint64_t seed = 3000; seed < 3005; ++seed) {
            CAPTURE(transport);
            CAPTURE(seed);
            auto scenario = random_scenario(seed, world_size());
            scenario.kinds.assign(1 + (seed % 2), {.scalar = Scalar::int64, .unit_bytes = 24'008});
            Options options;
            options.operation = scenario.operation;
            options.transport = transport;
            run(scenario, options, 4);
        }
    }
}

// They go group after group, each in several portions.
TEST_CASE("columns of many fields agree with the serial oracle") {
    constexpr std::int64_t rows = 3000;
    for (std::uint64_t seed = 3100; seed < 3104; ++seed) {
        CAPTURE(seed);
        auto scenario = random_scenario(seed, world_size());
        scenario.has_views = false;
        scenario.pattern = Pattern(world_size());
        std::ranges::fill(scenario.pattern.source_units, rows * world_size());
        std::ranges::fill(scenario.pattern.destination_units, rows * world_size());
        for (int from = 0; from < world_size(); ++from) {
            for (int to = 0; to < world_size(); ++to) {
                scenario.pattern.legs[{from, to}] = {{.source = to,
                                                      .destination = from,
                                                      .length = 1,
                                                      .count = rows,
                                                      .source_stride = world_size(),
                                                      .destination_stride = world_size()}};
            }
        }
        scenario.kinds.clear();
        for (const std::int64_t bytes : {8, 24, 16, 8, 24}) {
            scenario.kinds.push_back({.scalar = Scalar::int64, .unit_bytes = bytes});
        }
        Options options;
        options.operation = scenario.operation;
        options.transport = "shared-staged";
        run(scenario, options, 3);
    }
}

TEST_CASE("runs about as long as the threshold are pushed or pulled, and none is forgotten") {
    for (std::uint64_t seed = 4000; seed < 4004; ++seed) {
        CAPTURE(seed);
        auto scenario = random_scenario(seed, world_size());
        scenario.operation = Operation::assign;
        std::ranges::fill(scenario.source_homes, Home::shared);
        std::ranges::fill(scenario.destination_homes, Home::shared);
        const auto unit_bytes = scenario.kinds.front().unit_bytes;
        Options options;
        options.operation = scenario.operation;
        options.transport = "shared-direct";
        for (const auto bytes : {unit_bytes, unit_bytes + 1, (2 * unit_bytes) + 1}) {
            CAPTURE(bytes);
            options.push_below_bytes = bytes;
            run(scenario, options, 1);
        }
    }
}

TEST_CASE("the transposed route of every rank is the route of the transposed pattern") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto scenario = random_scenario(seed, world_size());
        CHECK(scenario.pattern.route(world_rank()).transposed() ==
              scenario.pattern.transposed().route(world_rank()));
    }
}
