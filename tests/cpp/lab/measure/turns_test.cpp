// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/turns.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "../../exchange/pretended_nodes.hpp"

using namespace transrank;
using namespace transrank::lab;
using measure::most_turns_per_node;
using measure::turn_of;

TEST_CASE("every rank of a narrow node has a turn of its own, in rank order") {
    for (int size = 1; size <= most_turns_per_node; ++size) {
        for (int rank = 0; rank < size; ++rank) {
            CHECK(turn_of(rank, size) == rank);
        }
    }
}

TEST_CASE("on a wide node as many ranks as there are turns have one, at equal distances") {
    for (int size = most_turns_per_node; size < 400; ++size) {
        CAPTURE(size);
        std::vector<int> chosen;
        for (int rank = 0; rank < size; ++rank) {
            if (const auto turn = turn_of(rank, size)) {
                CHECK(*turn == static_cast<int>(chosen.size()));
                chosen.push_back(rank);
            }
        }
        REQUIRE(chosen.size() == most_turns_per_node);
        CHECK(chosen.front() == 0);
        chosen.push_back(size);
        for (std::size_t i = 1; i < chosen.size(); ++i) {
            const int distance = chosen[i] - chosen[i - 1];
            CHECK(distance >= size / most_turns_per_node);
            CHECK(distance <= (size / most_turns_per_node) + 1);
        }
    }
}

TEST_CASE("there are as many turns as the widest node needs, not as there are ranks") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (int per_node = 1; per_node <= world.size(); ++per_node) {
        CAPTURE(per_node);
        const testing::PretendedNodes nodes(per_node);
        const auto turns = measure::share_turns(world, world.split_node());
        CHECK(turns.count == per_node);
        CHECK(turns.own == world.rank() % per_node);
    }
}
