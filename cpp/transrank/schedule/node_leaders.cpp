// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node hand what they have for another node to one of them, which sends it in one
// message; there it is handed out. The leaders of a node share the other nodes among them: all that
// goes to the node `d` ahead is the business of the leader d modulo their number, on both sides.
#include <algorithm>
#include <cstdint>

#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

class Nodes {
public:
    Nodes(const Problem& problem, int leaders)
        : ranks_(problem.ranks),
          per_node_(std::min(problem.ranks_per_node, problem.ranks)),
          leaders_(std::min(leaders, per_node_)) {}

    [[nodiscard]] int count() const { return ((ranks_ - 1) / per_node_) + 1; }
    [[nodiscard]] int of(int rank) const { return rank / per_node_; }
    [[nodiscard]] int begin(int node) const { return node * per_node_; }
    [[nodiscard]] int end(int node) const { return std::min(begin(node) + per_node_, ranks_); }

    /// Who of `node` sends to the node `ahead` further, or receives from the one as far behind.
    [[nodiscard]] int leader(int node, int ahead) const {
        return begin(node) + (ahead % leaders_ % (end(node) - begin(node)));
    }
    [[nodiscard]] int sender(int from, int to) const {
        return leader(from, distance(from, to, count()));
    }
    [[nodiscard]] int receiver(int from, int to) const {
        return leader(to, distance(from, to, count()));
    }

private:
    int ranks_;
    int per_node_;
    int leaders_;
};

enum Step : std::uint8_t { handing_over, between_nodes, handing_out };

int steps(const Problem& problem) {
    if (problem.ranks == 1) {
        return 0;
    }
    return Nodes(problem, 1).count() > 1 ? 3 : 1;
}

std::vector<int> mates(const Nodes& nodes, int rank) {
    std::vector<int> found;
    const int begin = nodes.begin(nodes.of(rank));
    const int size = nodes.end(nodes.of(rank)) - begin;
    for (int ahead = 1; ahead < size; ++ahead) {
        found.push_back(begin + further(rank - begin, ahead, size));
    }
    return found;
}

bool hands_out(const Nodes& nodes, int rank) {
    const int node = nodes.of(rank);
    for (int ahead = 1; ahead < nodes.count(); ++ahead) {
        if (nodes.leader(node, ahead) == rank) {
            return true;
        }
    }
    return false;
}

std::vector<int> targets_of(const Nodes& nodes, int step, int rank) {
    if (step == handing_over || (step == handing_out && hands_out(nodes, rank))) {
        return mates(nodes, rank);
    }
    std::vector<int> found;
    const int node = nodes.of(rank);
    for (int ahead = 1; step == between_nodes && ahead < nodes.count(); ++ahead) {
        const int to = further(node, ahead, nodes.count());
        if (nodes.sender(node, to) == rank) {
            found.push_back(nodes.receiver(node, to));
        }
    }
    return found;
}

std::vector<int> sources_of(const Nodes& nodes, int step, int rank) {
    std::vector<int> found;
    if (step == between_nodes) {
        const int node = nodes.of(rank);
        for (int ahead = 1; ahead < nodes.count(); ++ahead) {
            const int from = further(node, -ahead, nodes.count());
            if (nodes.receiver(from, node) == rank) {
                found.push_back(nodes.sender(from, node));
            }
        }
        return found;
    }
    found = mates(nodes, rank);
    if (step == handing_out) {
        std::erase_if(found, [&](int mate) { return !hands_out(nodes, mate); });
    }
    return found;
}

std::vector<Block> blocks_of(const Nodes& nodes, int step, int from, int to) {
    std::vector<Block> found;
    const int node = nodes.of(from);
    if (step == between_nodes) {
        const int other = nodes.of(to);
        for (int source = nodes.begin(node); source < nodes.end(node); ++source) {
            for (int target = nodes.begin(other); target < nodes.end(other); ++target) {
                found.push_back({.source = source, .target = target});
            }
        }
        return found;
    }
    if (step == handing_over) {
        found.push_back({.source = from, .target = to});
    }
    for (int other = 0; other < nodes.count(); ++other) {
        if (other == node) {
            continue;
        }
        const bool over = step == handing_over && nodes.sender(node, other) == to;
        const bool out = step == handing_out && nodes.receiver(other, node) == from;
        for (int rank = nodes.begin(other); (over || out) && rank < nodes.end(other); ++rank) {
            found.push_back(over ? Block{.source = from, .target = rank}
                                 : Block{.source = rank, .target = to});
        }
    }
    return found;
}

constexpr int one(const Problem& /*problem*/) {
    return 1;
}

constexpr int several(const Problem& problem) {
    return problem.leaders;
}

template <auto Leaders>
Algorithm led(std::string_view name, std::string_view summary) {
    return {
        .name = name,
        .summary = summary,
        .direct = false,
        .steps = steps,
        .peers =
            [](const Problem& problem, int step, int rank, int direction) {
                const Nodes nodes(problem, Leaders(problem));
                return direction > 0 ? targets_of(nodes, step, rank)
                                     : sources_of(nodes, step, rank);
            },
        .blocks = [](const Problem& problem, int step, int from,
                     int to) { return blocks_of({problem, Leaders(problem)}, step, from, to); }};
}

}  // namespace

Algorithm node_leader() {
    return led<one>("node-leader", "one rank of each node talks to the other nodes");
}

Algorithm node_leaders() {
    return led<several>("node-leaders", "several ranks of each node share the other nodes");
}

}  // namespace transrank::schedule
