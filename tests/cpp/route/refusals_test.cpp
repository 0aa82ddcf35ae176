// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a list is told with the rank, the place in the list and the values.
#include "testing.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/route/cell_list.hpp"
#include "transrank/route/directory.hpp"
#include "transrank/route/ghost.hpp"
#include "transrank/route/rows.hpp"

using namespace transrank;
using doctest::Contains;
using layout::BlockGrid;
using layout::Distribution;
using Indices = std::vector<std::int64_t>;
using Ranks = std::vector<int>;

namespace {

template <class Work>
doctest::String refusal(const Work& work) {
    return testing::words_of<std::invalid_argument>(work).c_str();
}

}  // namespace

TEST_CASE("ghosts and pushes") {
    const auto owners = Distribution::even(10, 3);
    for (const auto index :
         {std::int64_t{-1}, std::int64_t{10}, std::numeric_limits<std::int64_t>::max()}) {
        CHECK(refusal([&] { return route::requests_by_owner(2, owners, Indices{3, index}); }) ==
              Contains(("ghost 1 on rank 2 has index " + std::to_string(index) +
                        ", out of range [0, 10); ghosts are")
                           .c_str()));
    }
    CHECK(refusal([&] { return route::requests_by_owner(3, owners, Indices{3}); }) ==
          Contains("rank 3 is out of range [0, 3) of the owners"));
    CHECK(refusal([] { return route::pushes_by_target(1, 2, 4, Indices{4}, Ranks{0}); }) ==
          Contains("push 0 of rank 1 is of row 4, but it owns 4 rows"));
    CHECK(refusal([] { return route::pushes_by_target(1, 2, 4, Indices{3}, Ranks{2}); }) ==
          Contains("push 0 of rank 1 goes to rank 2, but there are 2"));
    CHECK(refusal([] { return route::pushes_by_target(1, 2, 4, Indices{3}, Ranks{}); }) ==
          Contains("rank 1 pushes 1 rows to 0 targets; each row needs one"));
}

TEST_CASE("cells and indices in lists") {
    const BlockGrid grid({Distribution::even(3, 1), Distribution::even(4, 2)}, {});
    for (const auto cell : {-1, 12}) {
        const Indices cells{0, cell};
        const auto says = "cell 1 in the list of rank 1 has number " + std::to_string(cell) +
                          ", but the grid has 12 cells";
        CHECK(refusal([&] { return route::cells_wanted(1, grid, {.cells = cells}); }) ==
              Contains(says.c_str()));
        CHECK(refusal([&] { return route::cells_offered(1, {.cells = cells}, grid); }) ==
              Contains(says.c_str()));
    }
    using Runs = std::vector<route::ListRun>;
    CHECK(refusal([] {
              return route::match(
                  Runs{{.rank = 1, .begin = 5, .length = 3}, {.rank = 2, .begin = 7, .length = 1}},
                  Runs{});
          }) == Contains("index 7 is in the source lists of rank 1 and of ra"));
    CHECK(refusal([] {
              return route::match(Runs{{.rank = 1, .begin = 5, .length = 3}},
                                  Runs{{.rank = 3, .begin = 6, .length = 3}});
          }) == Contains("index 8, which rank 3 wants, is in no source list"));
    CHECK(refusal([] {
              return route::runs_by_directory(0, Indices{1}, Distribution::block_cyclic(4, 2, 1));
          }) == Contains("whose parts are one range each; this one"));
}

TEST_CASE("blocks of an alltoall") {
    const Indices ones{1, 1};
    const Indices zeros{0, 0};
    const Indices places{0, 1};
    const Indices less{-1, 1};
    const Indices before{0, -2};
    const Indices one{1};
    const route::Blocks good{
        .counts = ones, .displacements = places, .displacements_at_peer = zeros};
    auto blocks = good;
    blocks.counts = less;
    CHECK(refusal([&] { return route::alltoallv(1, blocks, good); }) ==
          Contains("rank 1 sends to rank 0 a block of -1 units at displac"));
    blocks = good;
    blocks.displacements = before;
    CHECK(refusal([&] { return route::alltoallv(1, good, blocks); }) ==
          Contains("rank 1 receives from rank 1 a block of 1 units at "));
    blocks.displacements = one;
    CHECK(refusal([&] { return route::alltoallv(1, blocks, good); }) ==
          Contains("its peers blocks with 2 counts, 1 displacements and 2"));
    blocks = {.counts = one, .displacements = one, .displacements_at_peer = one};
    CHECK(refusal([&] { return route::alltoallv(1, good, blocks); }) ==
          Contains("send counts for 2 ranks and receive counts for 1"));
}

TEST_CASE("rows that do not match") {
    const route::Leg leg{.peer = 3, .segments = {{.source = 1, .destination = 0, .length = 2}}};
    CHECK(refusal([&] {
              return route::row_places(leg, route::End::source, layout::Rows::fixed(2, 5));
          }) == Contains("the leg with rank 3 counts rows 1 to 2, but there are 2"));
    using Places = std::vector<route::RowPlace>;
    const Places two{{.begin = 0, .length = 5}, {.begin = 5, .length = 5}};
    const Places shorter{{.begin = 0, .length = 5}, {.begin = 5, .length = 4}};
    CHECK(refusal([&] { return route::in_units(leg, Places{two[0]}, two); }) ==
          Contains("has 2 rows, but 1 source rows and 2 destination rows"));
    CHECK(refusal([&] { return route::in_units(leg, two, shorter); }) ==
          Contains("row 1 of the leg with rank 3 has 5 units at its source "));
}

TEST_CASE("the faces of a cube are few segments of one request") {
    constexpr std::int64_t n = 32;
    constexpr auto rows = n * n * n;
    Indices ghosts;
    for (int side = 0; side < 6; ++side) {
        const auto at = side % 2 == 0 ? 0 : n - 1;
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                ghosts.push_back(rows + (side < 2   ? at + (n * j) + (n * n * i)
                                         : side < 4 ? j + (n * at) + (n * n * i)
                                                    : j + (n * i) + (n * n * at)));
            }
        }
    }
    for (const int ranks : {2, 1'000'000}) {
        const auto legs =
            route::requests_by_owner(0, Distribution::even(rows * ranks, ranks), ghosts);
        REQUIRE(legs.size() == 1);
        CHECK(legs[0].peer == 1);
        CHECK(legs[0].units() == 6144);
        CHECK(legs[0].runs() == 2114);
        CHECK(legs[0].segments.size() == 5);  // the contiguous faces are two runs of one segment
    }
}
