// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Routes of ghosts, made together by all ranks, are those that one could work out alone.
#include "transrank/discovery/ghost.hpp"

#include "oracle.hpp"
#include "transrank/discovery/lists.hpp"
#include "transrank/discovery/route_check.hpp"

using namespace testing;
using namespace transrank::discovery;
using doctest::Contains;

namespace {

std::vector<Arrival> expected(const Distribution& owners, const Indices& ghosts,
                              std::int64_t begin) {
    std::vector<Arrival> made;
    for (std::size_t i = 0; i < ghosts.size(); ++i) {
        const auto [owner, row] = owner_of(owners, ghosts[i]);
        made.emplace_back(begin + static_cast<std::int64_t>(i), owner, row);
    }
    return made;
}

GhostPlace place_for(const Indices& ghosts, std::int64_t begin = 0) {
    return {.begin = begin, .extent = begin + static_cast<std::int64_t>(ghosts.size())};
}

/// What one rank pushes.
struct Pushes {
    Indices rows;
    std::vector<int> targets;
};

Pushes random_pushes(Random& random, std::int64_t owned, int ranks) {
    Pushes pushes{.rows = random_indices(random, owned), .targets = {}};
    for (std::size_t i = 0; i < pushes.rows.size(); ++i) {
        pushes.targets.push_back(static_cast<int>(between(random, 0, ranks - 1)));
    }
    return pushes;
}

std::int64_t global_index(const Distribution& owners, int rank, std::int64_t row) {
    for (std::int64_t index = 0; index < owners.extent(); ++index) {
        if (owner_of(owners, index) == std::pair(rank, row)) {
            return index;
        }
    }
    return -1;
}

/// Distribution whose parts are contiguous, of any size, some of them empty.
Distribution random_counts(Random& random, int ranks) {
    Indices boundaries{0};
    for (int rank = 0; rank < ranks; ++rank) {
        const auto rows = chance(random, 0.3) ? 0 : between(random, 0, 15);
        boundaries.push_back(boundaries.back() + rows);
    }
    return Distribution::irregular(boundaries);
}

}  // namespace

TEST_CASE("a push makes ghosts by pushing rank and in order, and the pull of them the same route") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random common(seed);
        const auto owners = random_owners(common, world_size());
        Indices ghosts;
        Pushes own;
        for (int rank = 0; rank < world_size(); ++rank) {
            const auto pushes = random_pushes(common, owners.owned(rank), world_size());
            for (std::size_t i = 0; i < pushes.rows.size(); ++i) {
                if (pushes.targets[i] == world_rank()) {
                    ghosts.push_back(global_index(owners, rank, pushes.rows[i]));
                }
            }
            if (rank == world_rank()) {
                own = pushes;
            }
        }
        const auto pushed = ghost_push(world(), owners, own.rows, own.targets, 2);
        CHECK(pushed.ghosts == ghosts);
        CHECK(arrivals(pushed.route) == expected(owners, ghosts, 2));
        CHECK(pushed.route == ghost_pull(world(), owners, ghosts, place_for(ghosts, 2)));
        CHECK(pushed.route.source_extent() == owners.owned(world_rank()));
        CHECK(pushed.route.destination_extent() == 2 + std::ssize(ghosts));
        check_consistent(world(), pushed.route);
    }
}

TEST_CASE("rows numbered through all ranks are found with a table of their owners or without") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random common(seed);
        const auto owners = random_counts(common, world_size());
        const Numbering numbering(world(), owners.owned(world_rank()), seed % 3 == 0);
        CHECK(numbering.owned() == owners.range(world_rank()));
        CHECK(numbering.extent() == owners.extent());
        for (std::int64_t index = 0; seed % 3 == 0 && index < owners.extent(); ++index) {
            const auto [rank, row] = owner_of(owners, index);
            CHECK(numbering.place(index) == Place{.rank = rank, .row = row});
            CHECK(numbering.global_index(rank, row) == index);
        }
        Random own((100 * seed) + static_cast<std::uint64_t>(world_rank()));
        const auto ghosts = random_indices(own, owners.extent());
        const auto route = ghost_pull(world(), numbering, ghosts, place_for(ghosts, 1));
        CHECK(route == ghost_pull(world(), owners, ghosts, place_for(ghosts, 1)));
        const auto pushes = random_pushes(own, owners.owned(world_rank()), world_size());
        const auto pushed = ghost_push(world(), numbering, pushes.rows, pushes.targets);
        CHECK(pushed.route == ghost_push(world(), owners, pushes.rows, pushes.targets).route);
        CHECK(pushed.route ==
              ghost_pull(world(), numbering, pushed.ghosts, place_for(pushed.ghosts)));
    }
}

TEST_CASE("ghosts arrive at the rows that are given for them, several at one in order") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random own((100 * seed) + static_cast<std::uint64_t>(world_rank()));
        const auto owners = Distribution::even(static_cast<std::int64_t>(seed), world_size());
        const auto ghosts = random_indices(own, owners.extent());
        Indices rows;
        std::vector<Arrival> wanted;
        for (const auto ghost : ghosts) {
            const auto [owner, row] = owner_of(owners, ghost);
            rows.push_back(between(own, 0, 11));
            wanted.emplace_back(rows.back(), owner, row);
        }
        std::ranges::stable_sort(wanted, {}, [](const auto& it) { return std::get<1>(it); });
        const auto route =
            ghost_pull(world(), owners, ghosts, {.begin = 0, .extent = 12, .rows = rows});
        std::vector<Arrival> arrived;
        for (const auto& leg : route.receives()) {
            transrank::route::for_each_run(leg, [&](auto source, auto destination, auto length) {
                for (std::int64_t i = 0; i < length; ++i) {
                    arrived.emplace_back(destination + i, leg.peer, source + i);
                }
            });
        }
        CHECK(arrived == wanted);
        CHECK(route.destination_extent() == 12);
        check_consistent(world(), route);
    }
    const auto owners = Distribution::even(8, world_size());
    const Indices ghosts{0, 1};
    const auto refused = [&](const Indices& rows) {
        return agreed_words([&] {
            const Indices good{3, 0};
            return ghost_pull(world(), owners, ghosts,
                              {.begin = 0, .extent = 4, .rows = is_last() ? rows : good});
        });
    };
    CHECK(refused({0, 4}) ==
          "ghost 1 on rank " + last() + " is to lie at row 4, out of range [0, 4) of its array");
    CHECK(refused({-1, 0}).starts_with("ghost 0 on rank " + last() + " is to lie at row -1"));
    CHECK(refused({0}) == "rank " + last() + " wants 2 ghosts at 1 rows; each needs one");
}

TEST_CASE("a numbering refuses rows that do not exist, and without a table those of other ranks") {
    const auto words = [](const auto& call) { return words_of<std::invalid_argument>(call); };
    const int own = world_rank();
    const Numbering even(world(), 3);
    CHECK(words([&] { return even.global_index(own, 3); }) ==
          "row 3 of rank " + std::to_string(own) + " is out of range [0, 3)");
    CHECK(words([&] { return even.global_index(-1, 0); }).starts_with("rank -1 is out of range"));
    CHECK(words([&] { return even.place(even.extent()); }).starts_with("index "));
    const Numbering uneven(world(), 1 + own);
    CHECK(uneven.place(uneven.global_index(own, own)) == Place{.rank = own, .row = own});
    if (world_size() > 1) {
        const int other = own == 0 ? 1 : 0;
        const Contains remedy("make the numbering with a table");
        CHECK(words([&] { return uneven.global_index(other, 0); }).c_str() == remedy);
        CHECK(words([&] { return uneven.global_index(world_size(), 0); }).c_str() ==
              Contains("is out of range [0, "));
        CHECK(words([&] { return uneven.place(other == 0 ? 0 : 1); }).c_str() == remedy);
        CHECK(agreed_words([&] { return Numbering(world(), 3, is_last()); }) ==
              "rank " + last() +
                  " makes a numbering with a table, rank 0 no table; these must be equal on all "
                  "ranks");
    }
}

TEST_CASE("only even numbers of rows need no directory") {
    const int rank = world_rank();
    const int ranks = world_size();
    CHECK(Numbering(world(), 7).owners().has_value());
    CHECK(Numbering(world(), rank == 0 ? 3 : 2).owners().has_value());
    CHECK(Numbering(world(), rank == ranks - 1 ? 4 : 2).owners().has_value() == (ranks == 1));
}

TEST_CASE("64-bit indices are served") {
    const auto big = std::int64_t{1} << 61U;
    const auto owners = Distribution::even(big, world_size());
    const Indices ghosts{big - 1, 0, big / 2};
    const auto route = ghost_pull(world(), owners, ghosts, place_for(ghosts));
    CHECK(arrivals(route) == expected(owners, ghosts, 0));
    const Numbering numbering(world(), big / 4 + world_rank());
    const Indices two{numbering.extent() - 1, 0};
    CHECK(std::get<2>(arrivals(ghost_pull(world(), numbering, two, place_for(two)))[0]) ==
          (big / 4) + world_size() - 2);
}

TEST_CASE("ghosts that do not fit their place are refused on every rank") {
    const auto owners = Distribution::even(8, world_size());
    const Indices ghosts{0, 1};
    for (const auto& place : {GhostPlace{.begin = 3, .extent = 4}, GhostPlace{-1, 4},
                              GhostPlace{.begin = 5, .extent = 4}}) {
        const auto words = agreed_words([&] {
            return ghost_pull(world(), owners, ghosts, is_last() ? place : GhostPlace{3, 5});
        });
        CHECK(words == "rank " + last() + " wants 2 ghosts from row " +
                           std::to_string(place.begin) +
                           " on of an array of 4 rows; they do not fit");
    }
}

TEST_CASE("distributions that differ between ranks are refused on every rank") {
    const auto parts = Distribution::even(8, world_size() + 1);
    CHECK(agreed_words([&] { return ghost_pull(world(), parts, {}, {}); }) ==
          "on rank 0 the distribution has " + std::to_string(world_size() + 1) +
              " parts, but the communicator has " + std::to_string(world_size()) +
              " ranks; each rank owns one part");
    if (world_size() == 1) {
        return;
    }
    const auto owners = Distribution::even(is_last() ? 9 : 8, world_size());
    const auto ranks = " indices in " + std::to_string(world_size()) + " parts";
    const auto differs = "rank " + last() + " gives as owners of rows 9" + ranks + ", rank 0 8" +
                         ranks + "; these must be equal on all ranks";
    CHECK(agreed_words([&] { return ghost_pull(world(), owners, {}, {}); }) == differs);
    CHECK(agreed_words([&] { return ghost_push(world(), owners, {}, {}, 0); }) == differs);
}

TEST_CASE("numbers of rows that make no sense are refused on every rank") {
    CHECK(agreed_words([] { return Numbering(world(), is_last() ? -1 : 4); }) ==
          "rank " + last() + " owns -1 rows; it must be at least 0");
    if (world_size() > 1) {
        CHECK(agreed_words([] {
                  return Numbering(world(), std::int64_t{1} << 62U);
              }).find("more than 64 bits can number") != std::string::npos);
    }
}
