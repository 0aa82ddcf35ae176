// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// A route that counts in rows becomes one that counts in units, whatever the lengths of rows.
#include "transrank/discovery/rows.hpp"

#include "oracle.hpp"
#include "transrank/discovery/ghost.hpp"

using namespace testing;
using namespace transrank::discovery;
using transrank::layout::Rows;

TEST_CASE("rows of one length make long runs") {
    const auto owners = Distribution::even(4 * world_size(), world_size());
    const Indices ghosts{0, 1, 2, 3};
    const auto in_rows = ghost_pull(world(), owners, ghosts, {.begin = 0, .extent = 4});
    const auto rows = Rows::variable({3, 3, 3, 3});
    const auto arriving = arriving_rows(world(), in_rows, rows);
    const auto route = in_units(world(), in_rows, arriving, rows, rows);
    REQUIRE(route.receives().size() == 1);
    CHECK(route.receives()[0].segments ==
          std::vector<transrank::route::Segment>{{.source = 0, .destination = 0, .length = 12}});
}

TEST_CASE("rows that do not fit are the same error on every rank") {
    const auto owners = Distribution::even(2 * world_size(), world_size());
    const Indices ghosts{0, 1};
    const auto in_rows = ghost_pull(world(), owners, ghosts, {.begin = 0, .extent = 2});
    const auto rows = Rows::variable({3, 4});
    const auto few = Rows::variable({3});
    // Only rank 0 is asked for rows.
    CHECK(agreed_words([&] {
              return arriving_rows(world(), in_rows, world_rank() == 0 ? few : rows);
          }).find("counts rows 0 to 1, but there are 1 rows") != std::string::npos);
    const auto arriving = arriving_rows(world(), in_rows, rows);
    CHECK(agreed_words([&] {
              return in_units(world(), in_rows, arriving, rows,
                              is_last() ? Rows::variable({3, 5}) : rows);
          }) ==
          "row 1 of the leg with rank 0 has 4 units at its source and room for 5 at its "
          "destination; give the destination the lengths of the source");
    const Route other(0, world_size() + 1, 0, 0, {}, {});
    CHECK(agreed_words([&] {
              return arriving_rows(world(), is_last() ? other : in_rows, rows);
          }).find("a route made for rank 0 of " + std::to_string(world_size() + 1)) == 0);
    CHECK(agreed_words([&] {
              return in_units(world(), in_rows, is_last() ? ArrivingRows{} : arriving, rows, rows);
          }).find("rank " + last() + " receives from 1 ranks, but got the rows of 0") == 0);
}

TEST_CASE("rows of different length that meet in one place are refused") {
    // Both rows of rank 0 arrive in the last rank's only row.
    const std::vector<transrank::route::Segment> both{
        {.source = 0, .destination = 0, .length = 1, .count = 2, .source_stride = 1}};
    const int target = world_size() - 1;
    std::vector<transrank::route::Leg> sends;
    std::vector<transrank::route::Leg> receives;
    if (world_rank() == 0) {
        sends.push_back({.peer = target, .segments = both});
    }
    if (is_last()) {
        receives.push_back({.peer = 0, .segments = both});
    }
    const Route route(world_rank(), world_size(), 2, 1, sends, receives);
    CHECK(agreed_words([&] { return arriving_rows(world(), route, Rows::variable({2, 3})); }) ==
          "row 0 of rank " + last() +
              " arrives with 2 and, from rank 0, with 3 units; rows that meet must have one "
              "length");
}
