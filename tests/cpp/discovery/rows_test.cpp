// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// A route that counts in rows becomes one that counts in units, whatever the lengths of rows.
#include "transrank/discovery/rows.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include "oracle.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/route_check.hpp"

using namespace testing;
using namespace transrank::discovery;
using transrank::layout::Rows;

namespace {

/// Rows of these lengths in an array of any kind that can hold them.
Rows random_rows(Random& random, const Indices& lengths, std::int64_t bound) {
    const auto alignment = between(random, 1, 4);
    return chance(random, 0.5) ? Rows::variable(lengths, alignment)
                               : Rows::bounded(lengths, bound, alignment);
}

Indices random_lengths(Random& random, std::int64_t rows, std::int64_t bound) {
    Indices lengths(static_cast<std::size_t>(rows));
    for (auto& length : lengths) {
        length = chance(random, 0.2) ? 0 : between(random, 1, bound);
    }
    return lengths;
}

/// Everything about a movement of rows, the same on every rank.
struct Case {
    Distribution owners;
    std::int64_t bound;
    Indices lengths;           ///< by global index
    std::vector<Rows> source;  ///< by rank

    explicit Case(Random& random)
        : owners(random_owners(random, world_size())),
          bound(between(random, 1, 6)),
          lengths(random_lengths(random, owners.extent(), bound)) {
        std::vector<Indices> of_rank(static_cast<std::size_t>(world_size()));
        for (int rank = 0; rank < world_size(); ++rank) {
            of_rank[static_cast<std::size_t>(rank)].resize(
                static_cast<std::size_t>(owners.owned(rank)));
        }
        for (std::int64_t index = 0; index < owners.extent(); ++index) {
            const auto [owner, row] = owner_of(owners, index);
            of_rank[static_cast<std::size_t>(owner)][static_cast<std::size_t>(row)] =
                lengths[static_cast<std::size_t>(index)];
        }
        for (const auto& own : of_rank) {
            source.push_back(random_rows(random, own, bound));
        }
    }
    [[nodiscard]] const Rows& own() const { return source[static_cast<std::size_t>(world_rank())]; }
};

std::vector<Arrival> expected(const Case& movement, const Indices& ghosts,
                              const Rows& destination) {
    std::vector<Arrival> made;
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        const auto [owner, row] = owner_of(movement.owners, ghosts[i]);
        const auto& rows = movement.source[static_cast<std::size_t>(owner)];
        for (std::int64_t unit = 0; unit < rows.length(row); ++unit) {
            made.emplace_back(destination.begin(static_cast<std::int64_t>(i)) + unit, owner,
                              rows.begin(row) + unit);
        }
    }
    std::ranges::sort(made);
    return made;
}

}  // namespace

TEST_CASE("rows of any length arrive with their lengths and then with their units") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        Random common(seed);
        const Case movement(common);
        Random own((100 * seed) + static_cast<std::uint64_t>(world_rank()));
        const auto ghosts = random_indices(own, movement.owners.extent());
        const auto in_rows = ghost_pull(world(), movement.owners, ghosts,
                                        {.begin = 0, .extent = std::ssize(ghosts)});
        const auto arriving = arriving_rows(world(), in_rows, movement.own());
        Indices lengths;
        for (const auto ghost : ghosts) {
            lengths.push_back(movement.lengths[static_cast<std::size_t>(ghost)]);
        }
        CHECK(arriving.lengths == lengths);
        const auto destination = random_rows(own, lengths, movement.bound);
        const auto route = in_units(world(), in_rows, arriving, movement.own(), destination);
        CHECK(arrivals(route) == expected(movement, ghosts, destination));
        CHECK(route.source_extent() == movement.own().units());
        CHECK(route.destination_extent() == destination.units());
        check_consistent(world(), route);
    }
}

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
