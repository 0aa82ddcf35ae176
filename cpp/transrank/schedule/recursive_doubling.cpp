// SPDX-License-Identifier: BSD-3-Clause
// Along the edges of a hypercube, one dimension per step: half of what a rank holds crosses over.
// Where the number of ranks is no power of two, each rank beyond the largest one below hands its
// blocks to a rank of the cube before, and gets its own from it in the end.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "transrank/schedule/table.hpp"

namespace transrank::schedule {
namespace {

/// The cube, and who stands in for whom.
class Cube {
public:
    explicit Cube(const Problem& problem)
        : ranks_(problem.ranks),
          corners_(static_cast<int>(std::bit_floor(static_cast<unsigned>(problem.ranks)))) {}

    [[nodiscard]] int corners() const { return corners_; }
    [[nodiscard]] int dimensions() const {
        return std::countr_zero(static_cast<unsigned>(corners_));
    }
    [[nodiscard]] bool is_whole() const { return corners_ == ranks_; }
    /// The rank of the cube that acts for `rank`.
    [[nodiscard]] int corner(int rank) const { return rank < corners_ ? rank : rank - corners_; }
    /// The rank that `rank` acts for besides itself; -1: none.
    [[nodiscard]] int guest(int rank) const {
        return rank + corners_ < ranks_ ? rank + corners_ : -1;
    }

private:
    int ranks_;
    int corners_;
};

enum class Phase : std::uint8_t { gathering, crossing, returning };

struct Stage {
    Phase phase;
    int dimension;
};

Stage stage(const Cube& cube, int step) {
    const int dimension = cube.is_whole() ? step : step - 1;
    if (dimension < 0) {
        return {.phase = Phase::gathering, .dimension = 0};
    }
    return {.phase = dimension < cube.dimensions() ? Phase::crossing : Phase::returning,
            .dimension = dimension};
}

int steps(const Problem& problem) {
    const Cube cube(problem);
    return cube.dimensions() + (cube.is_whole() ? 0 : 2);
}

std::vector<int> peers(const Problem& problem, int step, int rank, int direction) {
    const Cube cube(problem);
    const auto from_guests = direction > 0 ? Phase::gathering : Phase::returning;
    const auto [phase, dimension] = stage(cube, step);
    if (phase == Phase::crossing) {
        return rank < cube.corners() ? std::vector{rank ^ (1 << dimension)} : std::vector<int>{};
    }
    if (phase == from_guests) {
        return rank < cube.corners() ? std::vector<int>{} : std::vector{cube.corner(rank)};
    }
    const bool hosts = rank < cube.corners() && cube.guest(rank) >= 0;
    return hosts ? std::vector{cube.guest(rank)} : std::vector<int>{};
}

// A rank holds the blocks whose sources have its upper bits and whose targets have its lower ones,
// as far as the bits have been crossed.
std::vector<Block> crossing(const Problem& problem, const Cube& cube, int dimension, int from,
                            int to) {
    const int same_upper = 1 << dimension;
    const int same_lower = 2 << dimension;
    const int first = from / same_upper * same_upper;
    std::vector<Block> found;
    for (const int begin : {first, first + cube.corners()}) {
        const int end = std::min(begin + same_upper, problem.ranks);
        for (int source = begin; source < end; ++source) {
            for (int target = to % same_lower; target < problem.ranks; target += same_lower) {
                found.push_back({.source = source, .target = target});
            }
        }
    }
    return found;
}

std::vector<Block> blocks(const Problem& problem, int step, int from, int to) {
    const Cube cube(problem);
    const auto [phase, dimension] = stage(cube, step);
    if (phase == Phase::crossing) {
        return crossing(problem, cube, dimension, from, to);
    }
    std::vector<Block> found;
    for (int other = 0; other < problem.ranks; ++other) {
        if (phase == Phase::gathering && other != from) {
            found.push_back({.source = from, .target = other});
        } else if (phase == Phase::returning && other != to) {
            found.push_back({.source = other, .target = to});
        }
    }
    return found;
}

}  // namespace

Algorithm recursive_doubling() {
    return {.name = "recursive-doubling",
            .summary = "half of all blocks across one dimension of a hypercube per step",
            .direct = false,
            .steps = steps,
            .peers = peers,
            .blocks = blocks};
}

}  // namespace transrank::schedule
