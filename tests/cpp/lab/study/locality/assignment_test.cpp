// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/study/locality/assignment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using namespace transrank::lab::study::locality;

namespace {

/// Packages of as many domains, domains of as many workers.
std::vector<Seat> node(int packages, int domains, int workers) {
    std::vector<Seat> seats;
    for (int package = 0; package < packages; ++package) {
        for (int domain = 0; domain < domains; ++domain) {
            seats.insert(seats.end(), static_cast<std::size_t>(workers),
                         {.package = package, .domain = (package * domains) + domain});
        }
    }
    return seats;
}

struct Row {
    int thread;
    int init_thread;
    Link link;
};

// Figure 3 of the HECToR guide, row by row in its order.
constexpr std::array figure_3{
    Row{12, 12, Link::own},      Row{7, 7, Link::own},           Row{18, 18, Link::own},
    Row{20, 20, Link::own},      Row{14, 14, Link::own},         Row{19, 19, Link::own},
    Row{13, 13, Link::own},      Row{6, 6, Link::own},           Row{8, 8, Link::own},
    Row{1, 1, Link::own},        Row{2, 2, Link::own},           Row{0, 0, Link::own},
    Row{3, 9, Link::neighbor},   Row{4, 16, Link::counterpart},  Row{15, 21, Link::neighbor},
    Row{21, 15, Link::neighbor}, Row{22, 10, Link::counterpart}, Row{10, 22, Link::counterpart},
    Row{9, 3, Link::neighbor},   Row{16, 4, Link::counterpart},  Row{17, 11, Link::diagonal},
    Row{5, 23, Link::diagonal},  Row{11, 17, Link::diagonal},    Row{23, 5, Link::diagonal}};

}  // namespace

TEST_CASE("on two packages of two domains of six cores the published table comes out row by row") {
    const auto seats = node(2, 2, 6);
    const auto data_of = assign("exchanged", seats);
    REQUIRE(data_of.size() == figure_3.size());
    for (const auto& [thread, init_thread, link] : figure_3) {
        CAPTURE(thread);
        CHECK(data_of[static_cast<std::size_t>(thread)] == init_thread);
        CHECK(link_between(thread / 6, init_thread / 6, seats) == link);
    }
}

TEST_CASE("the published table of own data is the identity") {
    const auto data_of = assign("own", node(2, 2, 6));
    for (std::size_t thread = 0; thread < 24; ++thread) {
        CHECK(data_of[thread] == static_cast<int>(thread));
    }
}

TEST_CASE("whatever the node, every worker's data has one user, and exchanged ones swap") {
    for (const auto& [packages, domains, workers] :
         {std::array{1, 2, 1}, {1, 2, 4}, {2, 1, 5}, {2, 2, 3}, {3, 1, 4}, {2, 3, 8}, {4, 4, 2}}) {
        const auto seats = node(packages, domains, workers);
        const auto data_of = assign("exchanged", seats);
        for (std::size_t worker = 0; worker < data_of.size(); ++worker) {
            const auto other = static_cast<std::size_t>(data_of[worker]);
            CHECK(data_of[other] == static_cast<int>(worker));
        }
        for (int steps = 1; steps < packages * domains; ++steps) {
            auto users = assign("away-" + std::to_string(steps), seats);
            for (std::size_t worker = 0; worker < users.size(); ++worker) {
                const auto data = static_cast<std::size_t>(users[worker]);
                CHECK(seats[data].domain == (seats[worker].domain + steps) % (packages * domains));
            }
            std::ranges::sort(users);
            std::vector<int> everyone(users.size());
            std::iota(everyone.begin(), everyone.end(), 0);
            CHECK(users == everyone);
        }
    }
}

TEST_CASE("ranks in any order find the partner at their position of the other domain") {
    auto seats = node(1, 2, 2);
    std::swap(seats[1], seats[2]);  // ranks take turns: domains 0 1 0 1
    CHECK(assign("away-1", seats) == std::vector{1, 0, 3, 2});
    CHECK(assign("exchanged", seats) == std::vector{0, 1, 3, 2});
}

TEST_CASE("one domain has no other memory, and no node has more distances than domains") {
    CHECK_THROWS_WITH_AS((void)assign("exchanged", node(1, 1, 4)),
                         doctest::Contains("in one memory domain"), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)assign("away-4", node(2, 2, 6)),
                         doctest::Contains("in 4 memory domains: none is 4 farther"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)assign("sideways", node(2, 2, 6)), "unknown arrangement 'sideways'",
                         std::invalid_argument);
    CHECK(assign("own", node(1, 1, 3)) == std::vector{0, 1, 2});
    auto uneven = node(2, 1, 2);
    uneven.push_back({.package = 1, .domain = 1});
    CHECK_THROWS_WITH_AS((void)assign("away-1", uneven),
                         doctest::Contains("different numbers of ranks"), std::invalid_argument);
    CHECK(assign("exchanged", uneven) == std::vector{0, 1, 2, 3, 4});
}
