// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "delivery.hpp"

using namespace transrank::schedule;

namespace {

// Every algorithm that can serve it.
void deliver_all(const Problem& problem) {
    check(problem);
    for (const auto& algorithm : all()) {
        if (!algorithm.obstacle(problem).empty()) {
            continue;
        }
        CAPTURE(algorithm.name);
        CAPTURE(problem.ranks);
        CAPTURE(problem.ranks_per_node);
        CAPTURE(problem.radix);
        Delivery delivery(algorithm, problem);
        REQUIRE(delivery.fault() == "");
        if (algorithm.direct) {
            const long long ranks = problem.ranks;
            CHECK(delivery.messages() == ranks * (ranks - 1));
            CHECK(delivery.blocks_sent() == delivery.messages());
        }
    }
}

}  // namespace

TEST_CASE("every block reaches its target once, at any number of ranks") {
    for (int ranks = 1; ranks <= 34; ++ranks) {
        deliver_all({.ranks = ranks, .ranks_per_node = 1 + (ranks % 5), .window = 1 + (ranks % 7)});
    }
}

TEST_CASE("every block reaches its target once, with any radix, nodes and leaders") {
    for (const int ranks : {7, 12, 27, 60}) {
        for (const int choice : {2, 3, 4, 5, 11, 100}) {
            deliver_all({.ranks = ranks,
                         .ranks_per_node = choice,
                         .radix = choice,
                         .window = choice,
                         .leaders = choice});
        }
    }
}

TEST_CASE("every block reaches its target once on a torus of any lengths") {
    for (const std::vector<int>& torus :
         {std::vector{2, 3, 2}, {4, 3, 4}, {1, 5, 7}, {8, 1, 1}, {2, 2, 3, 1, 3, 2}, {6, 9}}) {
        Problem problem{.ranks = 1, .torus = torus};
        for (const int length : torus) {
            problem.ranks *= length;
        }
        deliver_all(problem);
    }
}

TEST_CASE("every block reaches its target once among thousands of ranks") {
    deliver_all({.ranks = 1021, .ranks_per_node = 48, .radix = 3, .window = 50, .leaders = 5});
    deliver_all({.ranks = 1536, .ranks_per_node = 4, .torus = {8, 12, 16}});
    deliver_all({.ranks = 2048, .ranks_per_node = 48, .torus = {8, 16, 16}, .radix = 4});
}

TEST_CASE("algorithms send as many messages as the literature says") {
    const auto messages = [](const char* name, const Problem& problem) {
        Delivery delivery(find(name), problem);
        REQUIRE(delivery.fault() == "");
        return delivery.messages() / problem.ranks;
    };
    CHECK(messages("bruck", {.ranks = 64}) == 6);
    CHECK(messages("bruck", {.ranks = 64, .radix = 4}) == 9);
    CHECK(messages("recursive-doubling", {.ranks = 64}) == 6);
    CHECK(messages("torus-3d", {.ranks = 64, .torus = {4, 4, 4}}) == 9);
    CHECK(messages("torus-6d", {.ranks = 64}) == 6);
    // Axes of 2, 2, 3, 2, 2 and 2: the unit of Tofu is split off each.
    CHECK(messages("torus-6d", {.ranks = 96, .torus = {4, 6, 4}}) == 7);
    // 8 nodes of 8: each rank turns to 7 mates, and 7 of 8 to another node and to 7 mates again.
    CHECK(messages("node-leaders", {.ranks = 64, .ranks_per_node = 8, .leaders = 8}) ==
          7 + (7 * (1 + 7) / 8));
    CHECK(messages("node-leader", {.ranks = 64, .ranks_per_node = 8}) == 7 + (8 * (7 + 7) / 64));
}

TEST_CASE("leaders of the same number talk to each other") {
    const Problem problem{.ranks = 64, .ranks_per_node = 8, .leaders = 3};
    const auto& leaders = find("node-leaders");
    for (int rank = 0; rank < problem.ranks; ++rank) {
        for (const int target : leaders.targets(problem, 1, rank)) {
            CHECK(rank % 8 < 3);
            CHECK(target % 8 == rank % 8);
        }
    }
}

TEST_CASE("a problem that makes no sense is refused with its values") {
    CHECK_THROWS_WITH_AS(check({.ranks = 12, .torus = {2, 3, 3}}),
                         doctest::Contains("more places than the 12 ranks"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(check({.ranks = 12, .torus = {2, 3}}),
                         doctest::Contains("6 places for 12"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(check({.ranks = 4, .radix = 1}), doctest::Contains("radix"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)find("nosuch"), doctest::Contains("known: linear"),
                         std::invalid_argument);
    CHECK(find("two-process").obstacle({.ranks = 3}) == "only for 1 or 2 ranks");
}

TEST_CASE("factors are as near to each other as possible") {
    CHECK(balanced_factors(64, 3) == std::vector{4, 4, 4});
    CHECK(balanced_factors(12, 3) == std::vector{3, 2, 2});
    CHECK(balanced_factors(7, 3) == std::vector{7, 1, 1});
    CHECK(balanced_factors(1, 6) == std::vector{1, 1, 1, 1, 1, 1});
}
