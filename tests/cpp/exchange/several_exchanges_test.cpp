// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Several exchanges under way at once: started and waited for in different orders on different
// ranks, by different transports, and destroyed in different orders.
#include <ranges>

#include "pretended_nodes.hpp"
#include "scenario.hpp"
#include "transrank/collective/one_transport.hpp"

using namespace testing;
using transrank::collective::OneTransport;
using transrank::exchange::KnownCommunicator;

namespace {

const std::vector<std::string> servants{"auto", "shared-staged", "message"};

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

// What a call does for the other exchanges under way: something for each in its turn, and no more
// where there are many.

namespace {

/// Moves nothing, counts how often it is asked to, and is done once it is asked when it may be.
class Counted final : public transrank::transport::Transport {
public:
    Counted(std::int64_t& asked, std::function<bool()> may_end)
        : asked_(asked), may_end_(std::move(may_end)) {}

    void start(std::uint64_t /*epoch*/) override { done_ = false; }
    bool progress() override {
        ++asked_;
        const bool ends = !done_ && may_end_();
        done_ |= ends;
        return ends;
    }
    [[nodiscard]] bool done() const override { return done_; }
    [[nodiscard]] std::vector<int> awaited() const override { return {}; }

private:
    std::int64_t& asked_;
    std::function<bool()> may_end_;
    bool done_ = true;
};

Exchange make(std::int64_t& asked, std::function<bool()> may_end) {
    return Exchange(MPI_COMM_WORLD, [&](MPI_Comm comm) {
        auto backend = std::make_unique<OneTransport>(KnownCommunicator::get(comm));
        backend->carry_by(std::make_unique<Counted>(asked, std::move(may_end)), "");
        return backend;
    });
}

std::vector<Exchange> make_many(std::int64_t count, std::int64_t& asked,
                                const std::function<bool()>& may_end) {
    std::vector<Exchange> all;
    for (std::int64_t i = 0; i < count; ++i) {
        all.push_back(make(asked, may_end));
    }
    return all;
}

/// How often transports are asked for each of so many exchanges that are started, and then waited
/// for in that order or in reverse.
double asked_for_each(std::int64_t count, bool in_reverse) {
    std::int64_t asked = 0;
    bool peers_have_come = false;
    auto all = make_many(count, asked, [&] { return peers_have_come; });
    std::ranges::for_each(all, &Exchange::start);
    peers_have_come = true;
    if (in_reverse) {
        std::ranges::for_each(std::views::reverse(all), &Exchange::wait);
    } else {
        std::ranges::for_each(all, &Exchange::wait);
    }
    return static_cast<double>(asked) / static_cast<double>(count);
}

/// How often, for each use of one exchange beside so many that stay under way.
double asked_beside(std::int64_t count) {
    constexpr int uses = 50;
    std::int64_t asked = 0;
    bool peers_have_come = false;
    auto others = make_many(count, asked, [&] { return peers_have_come; });
    auto used = make(asked, [] { return true; });
    std::ranges::for_each(others, &Exchange::start);
    asked = 0;
    for (int i = 0; i < uses; ++i) {
        used.run();
    }
    const auto found = static_cast<double>(asked) / uses;
    peers_have_come = true;
    std::ranges::for_each(others, &Exchange::wait);
    return found;
}

}  // namespace

TEST_CASE("an exchange costs as much among four hundred under way as among fifty") {
    for (const bool in_reverse : {false, true}) {
        CAPTURE(in_reverse);
        CHECK(asked_for_each(400, in_reverse) < 2 * asked_for_each(50, in_reverse));
    }
    CHECK(asked_beside(400) < 2 * asked_beside(50));
}

TEST_CASE("a rank that waits or tests makes each of many exchanges advance") {
    for (const bool by_tests : {false, true}) {
        CAPTURE(by_tests);
        std::int64_t advanced = 0;
        constexpr std::int64_t count = 100;
        std::int64_t asked = 0;
        bool all_are_started = false;
        auto others = make_many(count, asked, [&] { return all_are_started && ++advanced > 0; });
        auto last = make(asked, [&] { return all_are_started && advanced == count; });
        last.start();
        std::ranges::for_each(others, &Exchange::start);
        all_are_started = true;
        if (by_tests) {
            while (!last.test()) {
            }
        } else {
            last.wait();
        }
        CHECK(advanced == count);
        std::ranges::for_each(others, &Exchange::wait);
    }
}
