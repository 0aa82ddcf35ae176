// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// Exchanges by messages share a communicator: what one of them has left on its way, because it was
// dropped or broken, must never arrive at another.
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "ring.hpp"
#include "transrank/transport/breakage.hpp"
#include "world.hpp"

using namespace testing;
using transrank::exchange::Exchange;

namespace {

struct Live {
    std::unique_ptr<Ring> ring;
    std::unique_ptr<Exchange> exchange;
};

/// The same numbers on every rank.
class Steps {
public:
    int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }

private:
    std::mt19937 random_{11};  // NOLINT(bugprone-random-generator-seed): the same every time
};

Live bound(Steps& steps) {
    // Long ones wait for their receiver, short ones do not.
    const std::int64_t units = steps.below(4) == 0 ? 50'000 : 1 + steps.below(3);
    auto ring = std::make_unique<Ring>(world_rank(), world_size(), true, units);
    auto exchange = std::make_unique<Exchange>(ring->bind("message"));
    return {.ring = std::move(ring), .exchange = std::move(exchange)};
}

void check_runs(Live& live, std::int64_t value) {
    live.ring->write(value);
    live.exchange->run();
    REQUIRE(live.ring->has_received(value));
}

/// One rank leaves, the others learn of it now or when they are dropped. What MPI may still read
/// stays where it is.
void break_one(Live live, Steps& steps, std::vector<std::unique_ptr<Ring>>& kept) {
    kept.push_back(std::move(live.ring));
    const int culprit = steps.below(world_size());
    const int way = steps.below(4);
    const bool others_start = steps.below(2) == 0;
    kept.back()->write(-1);
    if (world_rank() != culprit) {
        if (others_start) {
            try {
                live.exchange->start();
                if (way == 3) {
                    live.exchange->wait_for(0.001);
                }
            } catch (const std::runtime_error&) {  // it may know already
            }
        }
        return;
    }
    switch (way) {
        case 0:  // dropped without having started
            break;
        case 1:  // dropped between start and wait
            live.exchange->start();
            break;
        case 2:
            CHECK_THROWS(live.exchange->abandon("on purpose"));
            break;
        default:
            live.exchange->start();
            CHECK_THROWS(live.exchange->start());
    }
}

}  // namespace

TEST_CASE("what a dropped or broken exchange has left never arrives at another") {
    Steps steps;
    static std::vector<std::unique_ptr<Ring>> kept;  // MPI may read them until it is finalized
    std::vector<Live> all;
    for (int step = 0; step < 400; ++step) {
        const auto pick = [&] {
            return static_cast<std::size_t>(steps.below(static_cast<int>(all.size())));
        };
        const int what = all.empty() ? 0 : steps.below(8);
        if (what < 3 && all.size() < 12) {
            all.push_back(bound(steps));
        } else if (what < 4) {
            const auto at = pick();
            break_one(std::move(all[at]), steps, kept);
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (what < 5) {
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(pick()));
        } else {
            check_runs(all[pick()], step);
        }
    }
    for (auto& live : all) {
        check_runs(live, 1000);
    }
}
