// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/topology.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "lab/study/named.hpp"
#include "transrank/mpi/communicator_pool.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

/// As near to a cube as the prime factors allow, the largest first; longest sides first.
template <std::size_t dimensions>
std::array<int, dimensions> balanced_extents(int ranks) {
    std::array<int, dimensions> extents{};
    extents.fill(1);
    std::vector<int> factors;
    for (int factor = 2; ranks > 1; ++factor) {
        for (; ranks % factor == 0; ranks /= factor) {
            factors.push_back(factor);
        }
    }
    std::ranges::reverse(factors);
    for (const int factor : factors) {
        *std::ranges::min_element(extents) *= factor;
    }
    std::ranges::sort(extents, std::ranges::greater());
    return extents;
}

/// Both sides in each dimension of a periodic grid, the last dimension fastest, as MPI_Cart_create
/// numbers them.
template <std::size_t dimensions>
std::vector<int> torus(int rank, int ranks) {
    const auto extents = balanced_extents<dimensions>(ranks);
    std::vector<int> found;
    int stride = 1;
    for (std::size_t d = dimensions; d-- > 0; stride *= extents[d]) {
        const int place = rank / stride % extents[d];
        for (const int step : {1, extents[d] - 1}) {
            found.push_back(rank + (((place + step) % extents[d]) - place) * stride);
        }
    }
    return found;
}

std::vector<int> ring(int rank, int ranks) {
    return {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
}

/// Whether two ranks are neighbors by chance: the same for both, in every launch.
bool by_chance(int a, int b, int ranks) {
    constexpr double mean_neighbors = 6;
    const auto x = mpi::mixed((static_cast<std::uint64_t>(std::min(a, b)) << 32U) |
                              static_cast<std::uint64_t>(std::max(a, b)));
    return static_cast<double>(x >> 11U) * 0x1p-53 < mean_neighbors / ranks;
}

/// A sparse random graph (Erdos and Renyi, 1959) of some six neighbors, and a ring, so that nobody
/// is alone.
std::vector<int> random(int rank, int ranks) {
    auto found = ring(rank, ranks);
    for (int other = 0; other < ranks; ++other) {
        if (by_chance(rank, other, ranks)) {
            found.push_back(other);
        }
    }
    return found;
}

constexpr std::array table{Topology{.name = "ring", .neighbors = ring},
                           Topology{.name = "torus-2d", .neighbors = torus<2>},
                           Topology{.name = "torus-3d", .neighbors = torus<3>},
                           Topology{.name = "random", .neighbors = random}};

}  // namespace

std::span<const Topology> topologies() {
    return table;
}

std::vector<int> neighbors(std::string_view topology, int rank, int ranks) {
    auto all = named(table, topology, "topology").neighbors(rank, ranks);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    std::erase(all, rank);
    return all;
}

int most_neighbors(std::string_view topology, int ranks) {
    std::size_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        most = std::max(most, neighbors(topology, rank, ranks).size());
    }
    return static_cast<int>(most);
}

}  // namespace transrank::lab::study::neighborhood
