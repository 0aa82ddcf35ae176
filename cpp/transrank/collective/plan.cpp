// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace transrank::collective {
namespace {

using schedule::Block;

constexpr std::int64_t line_bytes = 64;

/// Bytes that lie in one piece.
struct Run {
    Place place;
    std::int64_t bytes;
};

bool follows(const Place& place, const Place& before, std::int64_t bytes) {
    return place == Place{.memory = before.memory, .offset = before.offset + bytes};
}

void append(std::vector<Run>& runs, const Run& run) {
    if (!runs.empty() && follows(run.place, runs.back().place, runs.back().bytes)) {
        runs.back().bytes += run.bytes;
    } else {
        runs.push_back(run);
    }
}

void append(std::vector<Copy>& copies, const Copy& copy) {
    if (!copies.empty()) {
        auto& last = copies.back();
        if (follows(copy.from, last.from, last.bytes) && follows(copy.to, last.to, last.bytes)) {
            last.bytes += copy.bytes;
            return;
        }
    }
    copies.push_back(copy);
}

std::int64_t sum_of(const std::vector<Run>& runs) {
    std::int64_t sum = 0;
    for (const auto& run : runs) {
        sum += run.bytes;
    }
    return sum;
}

/// Follows one rank through the steps: it knows where the blocks are that the rank holds.
class Planner {
public:
    Planner(const schedule::Algorithm& algorithm, const schedule::Problem& problem, int rank,
            const Blocks& blocks)
        : algorithm_(algorithm), problem_(problem), rank_(rank), blocks_(blocks) {}

    Plan make() && {
        const auto self = static_cast<std::size_t>(rank_);
        if (blocks_.send_bytes[self] > 0) {
            plan_.own.push_back({.from = place_of({.source = rank_, .target = rank_}),
                                 .to = final_place(rank_),
                                 .bytes = blocks_.send_bytes[self]});
        }
        const int steps = algorithm_.steps(problem_);
        for (int step = 0; step < steps; ++step) {
            plan_step(step);
        }
        return std::move(plan_);
    }

private:
    // What arrives in this step cannot leave in it, so the sends come first here.
    void plan_step(int number) {
        Step step;
        packed_ = 0;
        for (const int target : algorithm_.targets(problem_, number, rank_)) {
            auto message = outgoing(number, target);
            if (message.bytes > 0) {
                step.sends.push_back(std::move(message));
            }
        }
        for (const int source : algorithm_.sources(problem_, number, rank_)) {
            auto message = incoming(number, source);
            if (message.bytes > 0) {
                step.receives.push_back(std::move(message));
            }
        }
        plan_.packed_bytes = std::max(plan_.packed_bytes, packed_);
        plan_.steps.push_back(std::move(step));
    }

    Message outgoing(int step, int target) {
        std::vector<Run> runs;
        for (const auto& block : algorithm_.blocks(problem_, step, rank_, target)) {
            append(runs, {.place = place_of(block), .bytes = bytes_of(block)});
        }
        if (runs.size() == 1) {
            return {.peer = target, .place = runs[0].place, .bytes = runs[0].bytes, .copies = {}};
        }
        const auto bytes = sum_of(runs);
        Message message{.peer = target,
                        .place = {.memory = Memory::packed, .offset = take(packed_, bytes)},
                        .bytes = bytes,
                        .copies = {}};
        auto to = message.place;
        for (const auto& run : runs) {
            message.copies.push_back({.from = run.place, .to = to, .bytes = run.bytes});
            to.offset += run.bytes;
        }
        return message;
    }

    Message incoming(int step, int source) {
        const auto blocks = algorithm_.blocks(problem_, step, source, rank_);
        std::vector<Run> landing;
        for (const auto& block : blocks) {
            if (block.target == rank_) {
                append(landing, {.place = final_place(block.source), .bytes = bytes_of(block)});
            }
        }
        const bool all_final =
            std::ranges::all_of(blocks, [&](const Block& each) { return each.target == rank_; });
        if (all_final && landing.size() == 1) {
            return {
                .peer = source, .place = landing[0].place, .bytes = landing[0].bytes, .copies = {}};
        }
        return arriving_in_transit(source, blocks);
    }

    Message arriving_in_transit(int source, const std::vector<Block>& blocks) {
        std::int64_t bytes = 0;
        for (const auto& block : blocks) {
            bytes += bytes_of(block);
        }
        Message message{
            .peer = source,
            .place = {.memory = Memory::transit, .offset = take(plan_.transit_bytes, bytes)},
            .bytes = bytes,
            .copies = {}};
        auto from = message.place;
        for (const auto& block : blocks) {
            if (block.target == rank_) {
                append(message.copies,
                       {.from = from, .to = final_place(block.source), .bytes = bytes_of(block)});
            } else {
                in_transit_[number(block)] = from;
            }
            from.offset += bytes_of(block);
        }
        return message;
    }

    [[nodiscard]] Place place_of(const Block& block) const {
        if (block.source == rank_) {
            return {.memory = Memory::send,
                    .offset = blocks_.send_offsets[static_cast<std::size_t>(block.target)]};
        }
        return in_transit_.at(number(block));
    }

    [[nodiscard]] Place final_place(int source) const {
        return {.memory = Memory::receive,
                .offset = blocks_.receive_offsets[static_cast<std::size_t>(source)]};
    }

    // Of a block between two others only that it is as long as all.
    [[nodiscard]] std::int64_t bytes_of(const Block& block) const {
        return block.target == rank_ ? blocks_.receive_bytes[static_cast<std::size_t>(block.source)]
                                     : blocks_.send_bytes[static_cast<std::size_t>(block.target)];
    }

    [[nodiscard]] std::int64_t number(const Block& block) const {
        return (std::int64_t{block.source} * problem_.ranks) + block.target;
    }

    static std::int64_t take(std::int64_t& used, std::int64_t bytes) {
        const auto offset = used;
        used += (bytes + line_bytes - 1) / line_bytes * line_bytes;
        return offset;
    }

    const schedule::Algorithm& algorithm_;
    const schedule::Problem& problem_;
    int rank_;
    const Blocks& blocks_;
    Plan plan_;
    std::int64_t packed_ = 0;  ///< of this step
    std::unordered_map<std::int64_t, Place> in_transit_;
};

std::int64_t extent(const std::vector<std::int64_t>& offsets,
                    const std::vector<std::int64_t>& bytes) {
    std::int64_t end = 0;
    for (std::size_t peer = 0; peer < offsets.size(); ++peer) {
        if (bytes[peer] > 0) {
            end = std::max(end, offsets[peer] + bytes[peer]);
        }
    }
    return end;
}

}  // namespace

Blocks Blocks::equal(int ranks, std::int64_t block_bytes) {
    Blocks blocks;
    for (int rank = 0; rank < ranks; ++rank) {
        // A negative length is refused later; its multiples may exceed 64 bits.
        blocks.send_offsets.push_back(rank * std::max<std::int64_t>(block_bytes, 0));
        blocks.send_bytes.push_back(block_bytes);
    }
    blocks.receive_offsets = blocks.send_offsets;
    blocks.receive_bytes = blocks.send_bytes;
    return blocks;
}

std::int64_t Blocks::send_extent() const {
    return extent(send_offsets, send_bytes);
}

std::int64_t Blocks::receive_extent() const {
    return extent(receive_offsets, receive_bytes);
}

Plan make_plan(const schedule::Algorithm& algorithm, const schedule::Problem& problem, int rank,
               const Blocks& blocks) {
    return Planner(algorithm, problem, rank, blocks).make();
}

}  // namespace transrank::collective
