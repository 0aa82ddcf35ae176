// SPDX-License-Identifier: BSD-3-Clause
// Dimension by dimension: along one axis a rank sends each rank of its ring everything it holds
// whose target has that coordinate, in both directions at once, nearest first. No message leaves
// its axis, and P^(1/d) - 1 partners per axis are few, but a block is sent once for each coordinate
// in which its target differs: what vendors do on machines with such a network.
#include <array>

#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

/// One axis of the torus: its length, and how many ranks lie between two neighbors on it.
struct Axis {
    int length;
    int stride;
    [[nodiscard]] int coordinate(int rank) const { return rank / stride % length; }
};

std::vector<int> lengths_3d(const Problem& problem) {
    return problem.torus.empty() ? balanced_factors(problem.ranks, 3) : problem.torus;
}

// Each axis of three is split by the lengths of a unit of Tofu, 2 x 3 x 2, as far as they divide
// it; within a unit and between units are axes of their own.
std::vector<int> lengths_6d(const Problem& problem) {
    if (problem.torus.empty()) {
        return balanced_factors(problem.ranks, 6);
    }
    if (problem.torus.size() != 3) {
        return problem.torus;
    }
    constexpr std::array unit{2, 3, 2};
    std::vector<int> lengths;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const int inner = problem.torus[i] % unit[i] == 0 ? unit[i] : 1;
        lengths.push_back(inner);
        lengths.push_back(problem.torus[i] / inner);
    }
    return lengths;
}

int steps_along(const Axis& axis) {
    return axis.length / 2;
}

int steps_of(const std::vector<int>& lengths) {
    int sum = 0;
    for (const int length : lengths) {
        sum += steps_along({.length = length, .stride = 1});
    }
    return sum;
}

/// On which axis a step is, and how far along it.
struct Hop {
    Axis axis;
    int ahead;
};

Hop hop(const std::vector<int>& lengths, int step) {
    Axis axis{.length = 1, .stride = 1};
    for (const int length : lengths) {
        axis = {.length = length, .stride = axis.stride * axis.length};
        if (step < steps_along(axis)) {
            break;
        }
        step -= steps_along(axis);
    }
    return {.axis = axis, .ahead = step + 1};
}

int along(const Axis& axis, int rank, int ahead) {
    const int from = axis.coordinate(rank);
    return rank + ((further(from, ahead, axis.length) - from) * axis.stride);
}

std::vector<int> peers(const std::vector<int>& lengths, int step, int rank, int direction) {
    const auto [axis, ahead] = hop(lengths, step);
    if (2 * ahead == axis.length) {
        return {along(axis, rank, ahead)};
    }
    return {along(axis, rank, direction * ahead), along(axis, rank, -direction * ahead)};
}

// A rank holds the blocks whose sources have its later coordinates and whose targets have its
// earlier ones.
std::vector<Block> blocks_of(const std::vector<int>& lengths, int ranks, int step, int from,
                             int to) {
    const auto axis = hop(lengths, step).axis;
    const int stride = axis.stride;
    std::vector<Block> found;
    for (int source = from - (from % stride); source < from - (from % stride) + stride; ++source) {
        for (int target = to % (stride * axis.length); target < ranks;
             target += stride * axis.length) {
            found.push_back({.source = source, .target = target});
        }
    }
    return found;
}

template <auto Lengths>
Algorithm dimension_by_dimension(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .direct = false,
            .steps = [](const Problem& problem) { return steps_of(Lengths(problem)); },
            .peers = [](const Problem& problem, int step, int rank,
                        int direction) { return peers(Lengths(problem), step, rank, direction); },
            .blocks =
                [](const Problem& problem, int step, int from, int to) {
                    return blocks_of(Lengths(problem), problem.ranks, step, from, to);
                }};
}

}  // namespace

Algorithm torus_3d() {
    return dimension_by_dimension<lengths_3d>("torus-3d",
                                              "along the three axes of a torus, one by one");
}

Algorithm torus_6d() {
    return dimension_by_dimension<lengths_6d>("torus-6d",
                                              "along six axes, within units and between them");
}

}  // namespace transrank::schedule
