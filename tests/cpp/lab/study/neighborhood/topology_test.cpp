// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/study/neighborhood/topology.hpp"

#include "testing.hpp"

namespace neighborhood = transrank::lab::study::neighborhood;
using neighborhood::neighbors;

TEST_CASE("in every topology neighbors are neighbors of each other, others, each once") {
    for (const auto& topology : neighborhood::topologies()) {
        CAPTURE(topology.name);
        for (int ranks = 2; ranks <= 40; ++ranks) {
            CAPTURE(ranks);
            int most = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const auto mine = neighbors(topology.name, rank, ranks);
                CHECK_FALSE(mine.empty());
                CHECK(std::ranges::is_sorted(mine));
                CHECK(std::set<int>(mine.begin(), mine.end()).size() == mine.size());
                for (const int other : mine) {
                    CHECK(other != rank);
                    const auto theirs = neighbors(topology.name, other, ranks);
                    CHECK(std::ranges::find(theirs, rank) != theirs.end());
                }
                most = std::max(most, static_cast<int>(mine.size()));
            }
            CHECK(neighborhood::most_neighbors(topology.name, ranks) == most);
        }
    }
    CHECK_THROWS_AS((void)neighbors("star", 0, 4), std::invalid_argument);
}

TEST_CASE("a torus has two neighbors in each dimension of more than two ranks") {
    CHECK(neighbors("ring", 0, 5) == std::vector<int>{1, 4});
    CHECK(neighbors("ring", 1, 2) == std::vector<int>{0});
    // 3 x 3, row by row.
    CHECK(neighbors("torus-2d", 4, 9) == std::vector<int>{1, 3, 5, 7});
    CHECK(neighbors("torus-2d", 0, 9) == std::vector<int>{1, 2, 3, 6});
    // 3 x 3 x 3.
    CHECK(neighbors("torus-3d", 13, 27) == std::vector<int>{4, 10, 12, 14, 16, 22});
    // 2 x 2 x 2: both sides are one rank.
    CHECK(neighbors("torus-3d", 0, 8) == std::vector<int>{1, 2, 4});
}

TEST_CASE("a random graph is sparse, and irregular") {
    std::set<std::size_t> degrees;
    std::size_t all = 0;
    constexpr int ranks = 200;
    for (int rank = 0; rank < ranks; ++rank) {
        degrees.insert(neighbors("random", rank, ranks).size());
        all += neighbors("random", rank, ranks).size();
    }
    CHECK(degrees.size() > 3);
    CHECK(all > 6U * ranks);
    CHECK(all < 10U * ranks);
}
