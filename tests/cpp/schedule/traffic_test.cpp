// SPDX-License-Identifier: BSD-3-Clause
#include "../../../benchmarks/programs/traffic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace transrank::schedule;
using torus::count_traffic;
using torus::Traffic;

namespace {

std::vector<int> coordinates(int rank, const std::vector<int>& lengths) {
    std::vector<int> found;
    for (const int length : lengths) {
        found.push_back(rank % length);
        rank /= length;
    }
    return found;
}

// Hop by hop: the counters take whole ways at once.
Traffic walked(const Algorithm& algorithm, const Problem& problem,
               const std::vector<int>& lengths) {
    Traffic traffic{.steps = algorithm.steps(problem)};
    using Link = std::tuple<std::size_t, int, std::vector<int>>;  // dimension, direction, node
    std::map<Link, std::int64_t> all_links;
    for (int step = 0; step < traffic.steps; ++step) {
        std::map<Link, std::int64_t> links;
        std::int64_t most_messages = 0;
        std::int64_t most_hops = 0;
        for (int rank = 0; rank < problem.ranks; ++rank) {
            const auto targets = algorithm.targets(problem, step, rank);
            const auto messages = static_cast<std::int64_t>(targets.size());
            most_messages = std::max(most_messages, messages);
            traffic.messages += messages;
            for (const int target : targets) {
                const auto blocks =
                    static_cast<std::int64_t>(algorithm.blocks(problem, step, rank, target).size());
                auto at = coordinates(rank, lengths);
                const auto end = coordinates(target, lengths);
                std::int64_t hops = 0;
                for (std::size_t i = 0; i < lengths.size(); ++i) {
                    const int ahead = (end[i] - at[i] + lengths[i]) % lengths[i];
                    const int back = lengths[i] - ahead;
                    const bool up = ahead < back || (ahead == back && at[i] % 2 == 0);
                    for (; at[i] != end[i]; ++hops) {
                        const auto next = (at[i] + (up ? 1 : lengths[i] - 1)) % lengths[i];
                        auto lower = at;
                        lower[i] = up ? at[i] : next;
                        links[{i, up ? 1 : -1, lower}] += blocks;
                        at[i] = next;
                    }
                }
                traffic.blocks += blocks;
                traffic.block_hops += blocks * hops;
                most_hops = std::max(most_hops, hops);
            }
        }
        std::int64_t most_blocks = 0;
        for (const auto& [link, blocks] : links) {
            most_blocks = std::max(most_blocks, blocks);
            all_links[link] += blocks;
        }
        traffic.messages_in_turn += most_messages;
        traffic.hops_in_turn += most_hops;
        traffic.blocks_in_turn += most_blocks;
    }
    for (const auto& [link, blocks] : all_links) {
        traffic.busiest_link = std::max(traffic.busiest_link, blocks);
    }
    return traffic;
}

}  // namespace

TEST_CASE("traffic is what walking hop by hop counts") {
    for (const std::vector<int>& lengths : {std::vector{2, 3, 2}, {5, 4, 3}, {7, 1, 2}, {4, 6}}) {
        Problem problem{.ranks = 1, .torus = lengths};
        for (const int length : lengths) {
            problem.ranks *= length;
        }
        for (const auto& algorithm : all()) {
            if (!algorithm.obstacle(problem).empty()) {
                continue;
            }
            CAPTURE(algorithm.name);
            const auto counted = count_traffic(algorithm, problem, lengths);
            const auto expected = walked(algorithm, problem, lengths);
            CHECK(counted.messages == expected.messages);
            CHECK(counted.blocks == expected.blocks);
            CHECK(counted.block_hops == expected.block_hops);
            CHECK(counted.busiest_link == expected.busiest_link);
            CHECK(counted.messages_in_turn == expected.messages_in_turn);
            CHECK(counted.hops_in_turn == expected.hops_in_turn);
            CHECK(counted.blocks_in_turn == expected.blocks_in_turn);
        }
    }
}

TEST_CASE("all pairs load every link of a ring alike, by P^2 / 8") {
    const auto traffic = count_traffic(find("linear"), {.ranks = 16}, {16});
    CHECK(traffic.busiest_link == 16 * 16 / 8);
    CHECK(traffic.block_hops == 2 * 16 * traffic.busiest_link);
    CHECK(traffic.messages_in_turn == 15);
}

TEST_CASE("along the axes of a torus messages pass only links of one dimension") {
    const auto traffic =
        count_traffic(find("torus-3d"), {.ranks = 64, .torus = {4, 4, 4}}, {4, 4, 4});
    CHECK(traffic.hops_in_turn == 3 * (1 + 2));
    CHECK(traffic.blocks == 3 * 64 * 48);
}

TEST_CASE("a torus of another size is refused") {
    CHECK_THROWS_AS((void)count_traffic(find("linear"), {.ranks = 12}, {2, 3}),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)count_traffic(find("linear"), {.ranks = 12}, {5, 3}),
                    std::invalid_argument);
}
