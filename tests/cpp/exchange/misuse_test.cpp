// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// An exchange that one rank has broken: that rank throws at once, all others that wait throw too
// and name it, nobody hangs, and other exchanges go on.
#include "pretended_nodes.hpp"
#include "ring.hpp"

using namespace testing;

namespace {

/// Every way in which peers of another rank may be served, the last one between nodes of two ranks:
/// there all send to all, and it matters which of them is the culprit.
template <class Check>
void for_ways(const Check& check) {
    for (const std::string way :
         {"auto", "shared-direct", "kernel-copy", "shared-staged", "message", "node-staged"}) {
        CAPTURE(way);
        std::optional<PretendedNodes> nodes;
        if (way == "node-staged") {
            nodes.emplace(2);
        }
        for (int culprit = 0; culprit < (nodes ? world_size() : 1); ++culprit) {
            CAPTURE(culprit);
            check(way, culprit);
        }
    }
}

Ring ring_for(const std::string& way, bool closed = true) {
    Ring ring(world_rank(), world_size(), closed);
    if (way == "node-staged") {
        ring.send_to_all();
    }
    return ring;
}

/// Starts until the failure shows: a rank that only sends may be some epochs ahead of it.
Failure find_failure(Exchange& exchange) {
    constexpr int enough = 100;
    for (int epoch = 0; epoch < enough; ++epoch) {
        try {
            exchange.start();
            exchange.wait();
        } catch (const BrokenExchange& error) {
            CHECK_THROWS_AS(exchange.wait(), BrokenExchange);
            CHECK_THROWS_AS(exchange.start(), BrokenExchange);
            return error.failure();
        }
    }
    return {};
}

/// `wrong` happens on one rank after some good epochs; whoever depends on it, also through others,
/// must learn of it.
template <class Wrong>
void break_everywhere(bool closed, int epochs, const Wrong& wrong) {
    CAPTURE(closed);
    for_ways([&](const std::string& way, int culprit) {
        if (!closed && culprit > 0) {
            return;  // those before it do not depend on it
        }
        const auto ring = ring_for(way, closed);
        auto exchange = ring.bind(way);
        for (int epoch = 0; epoch < epochs; ++epoch) {
            exchange.run();
        }
        MPI_Barrier(MPI_COMM_WORLD);  // whoever is still at it would throw already there
        if (world_rank() == culprit) {
            const auto words = words_of<Misuse>([&] { wrong(exchange); });
            CHECK(words.find("on rank " + std::to_string(culprit)) != std::string::npos);
            CHECK_THROWS_AS(exchange.start(), Misuse);
            CHECK_THROWS_AS(exchange.wait(), Misuse);
            CHECK_THROWS_AS((void)exchange.test(), Misuse);
        } else {
            const auto failure = find_failure(exchange);
            CHECK(failure.cause == Failure::Cause::misuse);
            CHECK(failure.rank == culprit);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
}

}  // namespace

TEST_CASE("starting twice is an error for all who wait") {
    for (const bool closed : {true, false}) {
        break_everywhere(closed, 3, [](Exchange& exchange) {
            exchange.start();
            exchange.start();
        });
    }
}

TEST_CASE("waiting or testing before the first start is an error for all who wait") {
    break_everywhere(true, 0, [](Exchange& exchange) { exchange.wait(); });
    break_everywhere(false, 0, [](Exchange& exchange) { (void)exchange.wait_for(0); });
    break_everywhere(false, 0, [](Exchange& exchange) { (void)exchange.test(); });
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
    for_ways([&](const std::string& way, int /*culprit*/) {
        auto ring = ring_for(way);
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
    });
}

TEST_CASE("several exchanges are tested until all of them are over, whichever comes last") {
    const std::vector<std::string> ways{"auto", "shared-direct", "kernel-copy", "shared-staged",
                                        "message"};
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
    one.start();
    auto other = std::move(one);
    other.wait();
    CHECK_THROWS_AS(one.start(), Misuse);
    CHECK_THROWS_AS((void)one.test(), Misuse);
    CHECK_THROWS_AS(one.wait(), Misuse);
    CHECK_THROWS_AS(one.run(), Misuse);
    CHECK_THROWS_AS((void)one.explain(), Misuse);
    CHECK_THROWS_AS((void)one.runs_in_mpi(), Misuse);
    CHECK(!one.is_under_way());
    one = ring.bind("message");
    one.run();
    other = std::move(one);
    ring.write(7);
    other.run();
    CHECK(ring.has_received(7));
}

TEST_CASE("an exchange given up between two epochs or half-way is an error for those who go on") {
    for_ways([](const std::string& way, int culprit) {
        for (const bool half_way : {false, true}) {
            CAPTURE(half_way);
            const auto ring = ring_for(way);
            auto exchange = std::make_unique<Exchange>(ring.bind(way));
            exchange->run();
            MPI_Barrier(MPI_COMM_WORLD);
            if (world_rank() == culprit) {
                if (half_way && world_size() > 1) {  // nobody else starts yet: it cannot be over
                    exchange->start();
                }
                exchange.reset();
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (exchange) {
                const auto failure = find_failure(*exchange);
                CHECK(failure.cause == (half_way ? Failure::Cause::failed : Failure::Cause::gone));
                CHECK(failure.rank == culprit);
                const std::string text = transrank::transport::BrokenExchange(failure).what();
                CHECK((text.find("has freed this exchange") == std::string::npos) == half_way);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
    });
}

TEST_CASE("other exchanges go on when one is broken") {
    for_ways([](const std::string& way, int culprit) {
        const auto broken_ring = ring_for(way);
        auto good_ring = ring_for(way);
        auto broken = broken_ring.bind(way);
        auto good = good_ring.bind(way);
        if (world_rank() == culprit) {
            CHECK_THROWS_AS(broken.wait(), Misuse);
        } else {
            broken.start();
        }
        for (int epoch = 0; epoch < 5; ++epoch) {
            good_ring.write(epoch);
            good.run();
            CHECK(good_ring.has_received(epoch));
        }
        if (world_rank() != culprit) {
            CHECK_THROWS_AS(run_for_ever(broken), BrokenExchange);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
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
        CHECK(find_failure(exchange).rank == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// A failure that comes after a rank has given all that an epoch needs is none of that epoch, and
// what it leaves behind is not taken for the next exchange's.
TEST_CASE("an epoch that is complete is not reported as broken") {
    for_ways([](const std::string& way, int culprit) {
        for (int attempt = 0; attempt < 100; ++attempt) {
            auto ring = ring_for(way, false);
            auto exchange = std::make_unique<Exchange>(ring.bind(way));
            ring.write(attempt);
            exchange->start();
            exchange->wait();
            CHECK((!ring.receives() || ring.has_received(attempt)));
            if ((attempt + culprit * world_rank()) % 2 == 0) {
                CHECK_THROWS_AS(exchange->abandon("enough"), Misuse);
            }
            exchange.reset();
        }
    });
}

TEST_CASE("a start that is refused moves nothing, starts nothing and breaks nothing") {
    for (const std::string way : {"auto", "kernel-copy", "shared-staged", "message"}) {
        for (const bool any : {false, true}) {
            CAPTURE(way);
            CAPTURE(any);
            Ring ring(world_rank(), world_size(), true);
            Options options;
            options.transport = way;
            options.any_memory = any;
            Exchange exchange(ring.route(), all_ranks, ring.fields(), options);
            std::vector<std::vector<transrank::copy::Field>> refused(6, ring.fields());
            refused[0].clear();
            refused[1].push_back(ring.fields().front());
            refused[2].front().source = nullptr;
            refused[3].front().destination_bytes += 8;
            refused[4].front().scalar = Scalar::float64;
            refused[5].front().destination = const_cast<std::byte*>(refused[5].front().source);
            for (int epoch = 1; epoch < 4; ++epoch) {
                for (const auto& fields : refused) {
                    CHECK_THROWS_AS(exchange.start_with(fields), std::invalid_argument);
                    CHECK(!exchange.is_under_way());
                }
                if (any) {
                    CHECK_THROWS_AS(exchange.start(), std::invalid_argument);
                }
                ring.write(epoch);
                exchange.run_with(ring.fields());
                CHECK(ring.has_received(epoch));
            }
        }
    }
}
