// SPDX-License-Identifier: BSD-3-Clause
#include "../../../benchmarks/programs/traffic.hpp"
#include "testing.hpp"
#include "transrank/schedule/algorithm.hpp"

using namespace transrank::schedule;
using torus::count_traffic;
using torus::Traffic;

namespace {

/// Plays a schedule on at most 32768 virtual ranks, step by step, and says what is wrong with it.
class Delivery {
public:
    Delivery(const Algorithm& algorithm, const Problem& problem)
        : algorithm_(algorithm),
          problem_(problem),
          ranks_(static_cast<std::size_t>(problem.ranks)),
          holder_(ranks_ * ranks_) {
        for (std::size_t i = 0; i < holder_.size(); ++i) {
            holder_[i] = static_cast<std::int16_t>(i / ranks_);
        }
    }

    /// The first fault: a message that one side does not know of, so that the other waits for ever;
    /// an empty one; a block sent by a rank that does not hold it, twice, or not through to its
    /// target. Empty when there is none.
    [[nodiscard]] std::string fault() {
        const int steps = algorithm_.steps(problem_);
        for (int step = 0; step < steps && fault_.empty(); ++step) {
            play(step);
        }
        for (std::size_t i = 0; i < holder_.size() && fault_.empty(); ++i) {
            if (holder_[i] != static_cast<int>(i % ranks_)) {
                complain("at the end rank ", holder_[i], " holds", block(i));
            }
        }
        return fault_;
    }

    [[nodiscard]] long long messages() const { return messages_; }
    [[nodiscard]] long long blocks_sent() const { return blocks_sent_; }

private:
    // Sums of the messages' numbers: what is sent is what is received if they are the same, but for
    // a chance of 2^-64.
    void play(int step) {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        arrived_.clear();
        for (int rank = 0; rank < problem_.ranks; ++rank) {
            for (const int target : algorithm_.targets(problem_, step, rank)) {
                sent += number(rank, target);
                ++messages_;
                send(step, rank, target);
            }
            for (const int source : algorithm_.sources(problem_, step, rank)) {
                received += number(source, rank);
            }
        }
        if (sent != received) {
            complain("step ", step, ": what is sent is not what is received");
        }
        for (const auto i : arrived_) {
            holder_[i] = marked(holder_[i]);
        }
        blocks_sent_ += static_cast<long long>(arrived_.size());
    }

    // splitmix64
    static std::uint64_t number(int from, int to) {
        auto mixed = ((static_cast<std::uint64_t>(from) << 32U) | static_cast<std::uint32_t>(to)) +
                     0x9E37'79B9'7F4A'7C15U;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
        return mixed ^ (mixed >> 31U);
    }

    // A block under way is marked: it cannot be sent on. Twice marked is unmarked.
    static std::int16_t marked(int rank) { return static_cast<std::int16_t>(-rank - 1); }

    void send(int step, int from, int to) {
        const auto blocks = algorithm_.blocks(problem_, step, from, to);
        if (blocks.empty() || from == to || to < 0 || to >= problem_.ranks) {
            complain("step ", step, ": rank ", from, " sends rank ", to, ' ', blocks.size(),
                     " blocks");
            return;
        }
        for (const auto& [source, target] : blocks) {
            const auto i =
                (static_cast<std::size_t>(source) * ranks_) + static_cast<std::size_t>(target);
            if (source < 0 || target < 0 || i >= holder_.size() || holder_[i] != from ||
                from == target) {
                complain("step ", step, ": rank ", from, " sends rank ", to, " the block from ",
                         source, " to ", target, ", which it does not hold or should keep");
                return;
            }
            holder_[i] = marked(to);
            arrived_.push_back(i);
        }
    }

    [[nodiscard]] std::string block(std::size_t i) const {
        return " the block from " + std::to_string(i / ranks_) + " to " +
               std::to_string(i % ranks_);
    }

    template <class... Parts>
    void complain(const Parts&... parts) {
        if (fault_.empty()) {
            std::ostringstream text;
            (text << ... << parts);
            fault_ = text.str();
        }
    }

    const Algorithm& algorithm_;
    const Problem& problem_;
    std::size_t ranks_;
    std::vector<std::int16_t> holder_;  ///< of the block i / ranks_ -> i % ranks_
    std::vector<std::size_t> arrived_;  ///< blocks, in this step
    std::string fault_;
    long long messages_ = 0;
    long long blocks_sent_ = 0;
};

Problem on_torus(const std::vector<int>& lengths) {
    return {.ranks = std::accumulate(lengths.begin(), lengths.end(), 1, std::multiplies()),
            .torus = lengths};
}

// Every algorithm that can serve it.
void deliver_all(const Problem& problem) {
    check(problem);
    for (const auto& algorithm : all()) {
        if (!algorithm.reason_against(problem).empty()) {
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
        deliver_all(on_torus(torus));
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
    CHECK(find("two-process").reason_against({.ranks = 3}) == "only for 1 or 2 ranks");
}

TEST_CASE("factors are as near to each other as possible") {
    CHECK(balanced_factors(64, 3) == std::vector{4, 4, 4});
    CHECK(balanced_factors(12, 3) == std::vector{3, 2, 2});
    CHECK(balanced_factors(7, 3) == std::vector{7, 1, 1});
    CHECK(balanced_factors(1, 6) == std::vector{1, 1, 1, 1, 1, 1});
}

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
        const auto problem = on_torus(lengths);
        for (const auto& algorithm : all()) {
            if (!algorithm.reason_against(problem).empty()) {
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
