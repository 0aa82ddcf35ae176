// SPDX-License-Identifier: BSD-3-Clause
#include "alltoall_counts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "counting.hpp"
#include "transrank/collective/plan.hpp"

namespace transrank::lab::runner {
namespace {

using schedule::Algorithm;
using schedule::Problem;

/// Messages that follow each other.
using Chain = Sides<int>;

class Count {
public:
    Count(const Algorithm& algorithm, const Problem& problem)
        : algorithm_(algorithm),
          problem_(problem),
          nodes_{.ranks = problem.ranks, .ranks_per_node = problem.ranks_per_node},
          ranks_(static_cast<std::size_t>(problem.ranks)),
          chains_(ranks_.size()) {
        const int steps = algorithm_.steps(problem_);
        for (int step = 0; step < steps; ++step) {
            for (int rank = 0; rank < problem_.ranks; ++rank) {
                for (const int target : algorithm_.targets(problem_, step, rank)) {
                    send(step, rank, target);
                }
            }
        }
    }

    /// By rank.
    [[nodiscard]] const std::vector<Sides<Traffic>>& ranks() const { return ranks_; }

    [[nodiscard]] Chain longest() const {
        return *std::ranges::max_element(chains_, {}, [](const Chain& chain) {
            return std::pair(chain[0] + chain[1], chain[1]);
        });
    }

private:
    void send(int step, int from, int to) {
        const auto side = nodes_.side(from, to);
        std::int64_t blocks = 1;
        if (algorithm_.direct) {
            note({.source = from, .target = to}, side);
        } else {
            const auto carried = algorithm_.blocks(problem_, step, from, to);
            blocks = std::ssize(carried);
            for (const auto& block : carried) {
                note(block, side);
            }
        }
        auto& sender = ranks_[static_cast<std::size_t>(from)][side];
        ++sender.messages;
        sender.sent += blocks;
        ranks_[static_cast<std::size_t>(to)][side].received += blocks;
    }

    // Chains of the last rank's blocks, which leads no node unless it is alone there.
    void note(const schedule::Block& block, std::size_t side) {
        if (block.source == problem_.ranks - 1) {
            ++chains_[static_cast<std::size_t>(block.target)][side];
        }
    }

    const Algorithm& algorithm_;
    const Problem& problem_;
    Nodes nodes_;
    std::vector<Sides<Traffic>> ranks_;
    std::vector<Chain> chains_;  ///< by target
};

/// The most of the ranks that lead the first node; elsewhere all ranks are alike.
std::int64_t buffer_bytes(const Algorithm& algorithm, const Problem& problem,
                          std::int64_t block_bytes) {
    const auto blocks = collective::Blocks::equal(problem.ranks, block_bytes);
    std::int64_t most = 0;
    for (int rank = 0; !algorithm.direct && rank < std::min(problem.leaders, problem.ranks);
         ++rank) {
        const auto plan = collective::make_plan(algorithm, problem, rank, blocks);
        most = std::max(most, plan.transit_bytes + plan.packed_bytes);
    }
    return most;
}

}  // namespace

std::string count_alltoall(const Algorithm& algorithm, const Problem& problem,
                           std::int64_t block_bytes) {
    const Count count(algorithm, problem);
    text::JsonWriter head;
    head.begin_object().key("algorithm").value(algorithm.name);
    head.key("steps").value(algorithm.steps(problem)).key("chain").array(count.longest());
    head.key("buffers").value(buffer_bytes(algorithm, problem, block_bytes)).end_object();
    auto lines = head.text() + '\n';
    for (std::size_t rank = 0; rank < count.ranks().size(); ++rank) {
        text::JsonWriter json;
        json.begin_object().key("rank").value(rank).key("kept").value(1);
        json.key("arrays").value(2 * std::int64_t{problem.ranks});
        write_traffic(count.ranks()[rank], json);
        lines += json.end_object().text() + '\n';
    }
    const Nodes nodes{.ranks = problem.ranks, .ranks_per_node = problem.ranks_per_node};
    for (int node = 0; node < nodes.count(); ++node) {
        const auto ranks = std::int64_t{nodes.end(node)} - nodes.begin(node);
        lines += node_line(node, {ranks * (ranks - 1), ranks * (nodes.ranks - ranks)});
    }
    return lines;
}

}  // namespace transrank::lab::runner
