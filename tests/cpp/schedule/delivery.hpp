// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "transrank/schedule/algorithm.hpp"

namespace transrank::schedule {

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

}  // namespace transrank::schedule
