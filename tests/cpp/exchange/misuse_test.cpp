// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// An exchange that one rank has broken: that rank throws at once, all others that wait throw too
// and name it, nobody hangs, and other exchanges go on.
#include <doctest/doctest.h>
#include <mpi.h>

#include <memory>
#include <vector>

#include "ring.hpp"
#include "transrank/transport/breakage.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;
using transrank::exchange::Misuse;
using transrank::transport::Breakage;
using transrank::transport::BrokenExchange;

namespace {

// Every way in which peers of another rank may be served.
const std::vector<std::string> ways{"auto", "shared-direct", "shared-staged", "message"};

template <class Wrong>
std::string words_of_misuse(const Wrong& wrong) {
    try {
        wrong();
    } catch (const Misuse& error) {
        return error.what();
    }
    return "";
}

/// Starts until the breakage shows: a rank that only sends may be some epochs ahead of it.
Breakage find_breakage(Exchange& exchange) {
    constexpr int enough = 100;
    for (int epoch = 0; epoch < enough; ++epoch) {
        try {
            exchange.start();
            exchange.wait();
        } catch (const BrokenExchange& error) {
            CHECK_THROWS_AS(exchange.wait(), BrokenExchange);
            CHECK_THROWS_AS(exchange.start(), BrokenExchange);
            return error.breakage();
        }
    }
    return {};
}

/// `wrong` happens on rank 0 after some good epochs; whoever depends on rank 0, also through
/// others, must learn of it.
template <class Wrong>
void break_on_rank_0(const std::string& transport, bool closed, const Wrong& wrong,
                     int epochs = 3) {
    CAPTURE(transport);
    CAPTURE(closed);
    const Ring ring(world_rank(), world_size(), closed);
    auto exchange = ring.bind(transport);
    for (int epoch = 0; epoch < epochs; ++epoch) {
        exchange.run();
    }
    MPI_Barrier(MPI_COMM_WORLD);  // whoever is still at it would throw already there
    if (world_rank() == 0) {
        const auto words = words_of_misuse([&] { wrong(exchange); });
        CHECK(words.find("on rank 0") != std::string::npos);
        CHECK_THROWS_AS(exchange.start(), Misuse);
        CHECK_THROWS_AS(exchange.wait(), Misuse);
        CHECK_THROWS_AS((void)exchange.test(), Misuse);
    } else {
        const auto breakage = find_breakage(exchange);
        CHECK(breakage.cause == Breakage::Cause::misuse);
        CHECK(breakage.rank == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void start_twice(Exchange& exchange) {
    exchange.start();
    exchange.start();
}

}  // namespace

TEST_CASE("starting twice is an error for all who wait") {
    for (const auto& way : ways) {
        break_on_rank_0(way, true, start_twice);
        break_on_rank_0(way, false, start_twice);
    }
}

TEST_CASE("waiting or testing before the first start is an error for all who wait") {
    for (const auto& way : ways) {
        break_on_rank_0(way, true, [](Exchange& exchange) { exchange.wait(); }, 0);
        break_on_rank_0(way, false, [](Exchange& exchange) { (void)exchange.wait_for(0); }, 0);
        break_on_rank_0(way, false, [](Exchange& exchange) { (void)exchange.test(); }, 0);
    }
}

TEST_CASE("what is over may be tested and waited for again, in any order") {
    using Call = bool (*)(Exchange&);
    const std::vector<Call> calls{
        [](Exchange& exchange) { return exchange.test(); },
        [](Exchange& exchange) { return exchange.wait_for(1); },
        [](Exchange& exchange) {
            exchange.wait();
            return true;
        },
    };
    for (const auto& way : ways) {
        CAPTURE(way);
        Ring ring(world_rank(), world_size(), true);
        auto exchange = ring.bind(way);
        int epoch = 0;
        for (const auto move : {&Exchange::run, &Exchange::start}) {
            for (const auto first : calls) {
                for (const auto second : calls) {
                    ring.write(++epoch);
                    (exchange.*move)();
                    while (!first(exchange)) {
                    }
                    CHECK(second(exchange));
                    CHECK(first(exchange));
                    CHECK(!exchange.is_under_way());
                    CHECK(ring.has_received(epoch));
                }
            }
        }
    }
}

TEST_CASE("several exchanges are tested until all of them are over, whichever comes last") {
    for (std::size_t late = 0; late < ways.size(); ++late) {
        CAPTURE(ways[late]);
        std::vector<Ring> rings;
        std::vector<Exchange> exchanges;
        for (const auto& way : ways) {
            rings.emplace_back(world_rank(), world_size(), true);
            exchanges.push_back(rings.back().bind(way));
            rings.back().write(world_rank());
        }
        for (auto& exchange : exchanges) {
            if (&exchange != &exchanges[late]) {
                exchange.start();
            }
        }
        if (world_rank() == 0) {  // its peers test what is over many times
            for (auto& exchange : exchanges) {
                if (&exchange != &exchanges[late]) {
                    exchange.wait();
                }
            }
        }
        exchanges[late].start();
        bool all = false;
        while (!all) {
            all = true;
            for (auto& exchange : exchanges) {
                all = exchange.test() && all;
            }
        }
        for (const auto& ring : rings) {
            CHECK(ring.has_received(ring.previous()));
        }
    }
}

TEST_CASE("an exchange that was moved from is used no more, and breaks nothing") {
    Ring ring(world_rank(), world_size(), true);
    auto one = ring.bind("auto");
    one.run();
    auto other = std::move(one);
    CHECK_THROWS_AS(one.start(), Misuse);
    CHECK_THROWS_AS((void)one.test(), Misuse);
    CHECK_THROWS_AS(one.wait(), Misuse);
    CHECK_THROWS_AS(one.run(), Misuse);
    CHECK_THROWS_AS((void)one.explain(), Misuse);
    CHECK_THROWS_AS((void)one.runs_in_mpi(), Misuse);
    CHECK(!one.is_under_way());
    ring.write(7);
    other.run();
    CHECK(ring.has_received(7));
}

TEST_CASE("an exchange given up half-way is an error for all who wait") {
    for (const auto& way : ways) {
        CAPTURE(way);
        const Ring ring(world_rank(), world_size(), true);
        auto exchange = std::make_unique<Exchange>(ring.bind(way));
        exchange->run();
        MPI_Barrier(MPI_COMM_WORLD);
        // Nobody else starts yet, so it cannot be over.
        if (world_rank() == 0 && world_size() > 1) {
            exchange->start();
            exchange.reset();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (exchange && world_size() > 1) {
            const auto breakage = find_breakage(*exchange);
            CHECK(breakage.cause == Breakage::Cause::failed);
            CHECK(breakage.rank == 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_CASE("other exchanges go on when one is broken") {
    for (const auto& way : ways) {
        CAPTURE(way);
        const Ring broken_ring(world_rank(), world_size(), true);
        Ring good_ring(world_rank(), world_size(), true);
        auto broken = broken_ring.bind(way);
        auto good = good_ring.bind(way);
        if (world_rank() == 0) {
            CHECK_THROWS_AS(broken.wait(), Misuse);
        } else {
            broken.start();
        }
        for (int epoch = 0; epoch < 5; ++epoch) {
            good_ring.write(epoch);
            good.run();
            CHECK(good_ring.has_received(epoch));
        }
        if (world_rank() != 0) {
            const auto go_on = [&] {
                for (broken.wait(); true; broken.run()) {
                }
            };
            CHECK_THROWS_AS(go_on(), BrokenExchange);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// Long messages that nobody will receive: their requests are given up without waiting, and MPI can
// still be finalized.
TEST_CASE("a broken exchange of long messages ends without waiting for them") {
    constexpr std::int64_t units = 1 << 18;
    // MPI may read the arrays of a broken exchange until it is finalized.
    static const Ring ring(world_rank(), world_size(), true, units, Home::user);
    auto exchange = ring.bind("message");
    if (world_rank() == 0) {
        CHECK_THROWS_AS(exchange.wait(), Misuse);
    } else {
        CHECK(find_breakage(exchange).rank == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Whoever needs the rank once more does not wait for ever.
TEST_CASE("an exchange destroyed between two epochs is an error for those who go on") {
    if (world_size() == 1) {
        return;
    }
    for (const auto& way : ways) {
        CAPTURE(way);
        const Ring ring(world_rank(), world_size(), true);
        auto exchange = std::make_unique<Exchange>(ring.bind(way));
        exchange->run();
        if (world_rank() == 0) {
            exchange.reset();
        } else {
            const auto breakage = find_breakage(*exchange);
            CHECK(breakage.cause == Breakage::Cause::gone);
            CHECK(breakage.rank == 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// A breakage that comes after a rank has given all that an epoch needs is none of that epoch.
TEST_CASE("an epoch that is complete is not reported as broken") {
    for (const std::string way : {"shared-direct", "shared-staged", "message"}) {
        CAPTURE(way);
        for (int attempt = 0; attempt < 200; ++attempt) {
            Ring ring(world_rank(), world_size(), false);
            auto exchange = std::make_unique<Exchange>(ring.bind(way));
            ring.write(attempt);
            exchange->start();
            exchange->wait();
            CHECK((!ring.receives() || ring.has_received(attempt)));
            if (attempt % 2 == 0) {
                CHECK_THROWS_AS(exchange->abandon("enough"), Misuse);
            }
            exchange.reset();
        }
    }
}
