// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
#include "transrank/mpi/agreement.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transrank/mpi/communicator.hpp"

using namespace transrank;

TEST_CASE("what one rank throws, all ranks throw in its words, or with its number") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    const int last = world.size() - 1;
    const std::string rank = "rank " + std::to_string(last);
    const std::vector<std::pair<std::function<void()>, std::string>> cases{
        {[] { throw std::runtime_error("words"); }, "words"},
        {[] { throw std::bad_alloc(); }, rank + " has too little memory left for this"},
        {[] { throw 1; }, rank + " threw something other than a std::exception"},
    };
    for (const auto& [work, words] : cases) {
        const auto on_one_rank = [&, &work = work] {
            if (world.rank() == last) {
                work();
            }
        };
        CHECK_THROWS_WITH_AS(mpi::agree(world, on_one_rank), words.c_str(), mpi::AgreedError);
    }
    CHECK_NOTHROW(mpi::agree(world, [] {}));
}
