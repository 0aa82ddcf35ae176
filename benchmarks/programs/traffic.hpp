// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transrank/layout/require.hpp"
#include "transrank/schedule/algorithm.hpp"

namespace torus {

using namespace transrank;

/// What an algorithm asks of a torus, one rank per node, counted in messages and blocks. Messages
/// take the shortest way, one dimension after the other; where both directions are as short, even
/// coordinates go up and odd ones down. Each node has a link up and a link down in each dimension.
struct Traffic {
    int steps = 0;
    std::int64_t messages = 0;
    std::int64_t blocks = 0;        ///< sent, counted again each time that they are forwarded
    std::int64_t block_hops = 0;    ///< links that they pass, all together
    std::int64_t busiest_link = 0;  ///< blocks through the link that most pass through

    /// Sums over the steps of the largest value in each: what it takes if steps do not overlap.
    std::int64_t messages_in_turn = 0;  ///< sent by one rank
    std::int64_t hops_in_turn = 0;      ///< on the way of one message
    std::int64_t blocks_in_turn = 0;    ///< through one link
};

/// The links of one dimension, one ring behind the other, by what passes through them. A way along
/// a ring is noted by its two ends alone; `settle` sums up.
class Rings {
public:
    Rings(int ranks, int stride, int length)
        : stride_(stride),
          length_(length),
          changes_up_(changes(ranks)),
          changes_down_(changes_up_.size()),
          up_(static_cast<std::size_t>(ranks)),
          down_(up_.size()) {}

    /// Notes `blocks` on their way from `rank` to the same place with the coordinate of `to`, and
    /// returns the hops.
    int pass(int rank, int to, std::int64_t blocks) {
        const int from = rank / stride_ % length_;
        const int target = to / stride_ % length_;
        const int ahead = (target - from + length_) % length_;
        if (ahead == 0) {
            return 0;
        }
        const bool upwards = 2 * ahead == length_ ? from % 2 == 0 : 2 * ahead < length_;
        if (upwards) {
            note(changes_up_, ring(rank), from, ahead, blocks);
            return ahead;
        }
        note(changes_down_, ring(rank), target, length_ - ahead, blocks);
        return length_ - ahead;
    }

    [[nodiscard]] int moved(int rank, int to) const {
        return rank + (((to / stride_ % length_) - (rank / stride_ % length_)) * stride_);
    }

    /// Adds what was noted to the loads and returns the largest that was noted for one link.
    std::int64_t settle() {
        return std::max(settle(changes_up_, up_), settle(changes_down_, down_));
    }

    [[nodiscard]] std::int64_t busiest() const {
        return std::max(*std::ranges::max_element(up_), *std::ranges::max_element(down_));
    }

private:
    using Loads = std::vector<std::int64_t>;

    [[nodiscard]] Loads changes(int ranks) const {
        return Loads(static_cast<std::size_t>(ranks / length_) *
                     static_cast<std::size_t>(length_ + 1));
    }

    // Where the changes of the ring through `rank` begin.
    [[nodiscard]] std::size_t ring(int rank) const {
        const int number = (rank / (stride_ * length_) * stride_) + (rank % stride_);
        return static_cast<std::size_t>(number) * static_cast<std::size_t>(length_ + 1);
    }

    void note(Loads& changes, std::size_t ring, int begin, int hops, std::int64_t blocks) const {
        auto* const at = changes.data() + ring;
        const int end = begin + hops;
        at[begin] += blocks;
        if (end <= length_) {
            at[end] -= blocks;
        } else {
            at[length_] -= blocks;
            at[0] += blocks;
            at[end - length_] -= blocks;
        }
    }

    std::int64_t settle(Loads& changes, Loads& loads) const {
        std::int64_t most = 0;
        const auto length = static_cast<std::size_t>(length_);
        for (std::size_t ring = 0; ring * length < loads.size(); ++ring) {
            std::int64_t load = 0;
            for (std::size_t i = 0; i < length; ++i) {
                load += changes[(ring * (length + 1)) + i];
                loads[(ring * length) + i] += load;
                most = std::max(most, load);
            }
        }
        std::ranges::fill(changes, 0);
        return most;
    }

    int stride_;
    int length_;
    Loads changes_up_;
    Loads changes_down_;
    Loads up_;
    Loads down_;
};

inline std::vector<Rings> rings_of(const std::vector<int>& lengths, int ranks) {
    std::vector<Rings> rings;
    int stride = 1;
    for (const int length : lengths) {
        layout::require(length >= 1 && ranks % (stride * length) == 0, "a torus with a length of ",
                        length, " does not fit ", ranks, " ranks");
        rings.emplace_back(ranks, stride, length);
        stride *= length;
    }
    layout::require(stride == ranks, "the torus has ", stride, " nodes for ", ranks,
                    " ranks; they must be as many");
    return rings;
}

/// Counts one step.
class Counter {
public:
    Counter(const schedule::Algorithm& algorithm, const schedule::Problem& problem,
            std::vector<Rings>& rings, Traffic& traffic)
        : algorithm_(algorithm), problem_(problem), rings_(rings), traffic_(traffic) {}

    void count(int step) {
        std::size_t most_messages = 0;
        int most_hops = 0;
        for (int rank = 0; rank < problem_.ranks; ++rank) {
            const auto targets = algorithm_.targets(problem_, step, rank);
            most_messages = std::max(most_messages, targets.size());
            for (const int target : targets) {
                most_hops = std::max(most_hops, send(step, rank, target));
            }
            traffic_.messages += static_cast<std::int64_t>(targets.size());
        }
        std::int64_t most_blocks = 0;
        for (auto& each : rings_) {
            most_blocks = std::max(most_blocks, each.settle());
        }
        traffic_.messages_in_turn += static_cast<std::int64_t>(most_messages);
        traffic_.hops_in_turn += most_hops;
        traffic_.blocks_in_turn += most_blocks;
    }

private:
    int send(int step, int rank, int target) {
        const auto blocks =
            algorithm_.direct
                ? 1
                : static_cast<std::int64_t>(algorithm_.blocks(problem_, step, rank, target).size());
        int hops = 0;
        int at = rank;
        for (auto& each : rings_) {
            hops += each.pass(at, target, blocks);
            at = each.moved(at, target);
        }
        traffic_.blocks += blocks;
        traffic_.block_hops += blocks * hops;
        return hops;
    }

    const schedule::Algorithm& algorithm_;
    const schedule::Problem& problem_;
    std::vector<Rings>& rings_;
    Traffic& traffic_;
};

/// The ranks fill the torus `lengths` in order, the first coordinate varying fastest. Throws
/// std::invalid_argument when they are not as many as it has nodes.
[[nodiscard]] inline Traffic count_traffic(const schedule::Algorithm& algorithm,
                                           const schedule::Problem& problem,
                                           const std::vector<int>& lengths) {
    schedule::check(problem);
    auto rings = rings_of(lengths, problem.ranks);
    Traffic traffic{.steps = algorithm.steps(problem)};
    Counter counter(algorithm, problem, rings, traffic);
    for (int step = 0; step < traffic.steps; ++step) {
        counter.count(step);
    }
    for (const auto& each : rings) {
        traffic.busiest_link = std::max(traffic.busiest_link, each.busiest());
    }
    return traffic;
}

}  // namespace torus
