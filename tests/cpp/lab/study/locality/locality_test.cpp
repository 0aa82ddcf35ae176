// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 4
// Work on memory that another rank has touched, on domains that are pretended.
#include "lab/machine/domains.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/locality/assignment.hpp"
#include "lab/study/locality/blas.hpp"
#include "lab/study/locality/kernels.hpp"
#include "lab/study/locality/pages.hpp"
#include "world.hpp"

using namespace transrank;
using namespace transrank::lab;
using namespace transrank::lab::study::locality;
using testing::world;

namespace {

constexpr std::int64_t order = 96;

/// As many domains as there are pairs of ranks, or one for each of two ranks.
Seat pretended_seat() {
    return {.package = 0, .domain = world().size() == 2 ? world().rank() : world().rank() / 2};
}

std::string described(PlacedOperation& operation) {
    text::JsonWriter json;
    json.begin_object();
    operation.describe(json);
    return json.end_object().text();
}

}  // namespace

TEST_CASE("every kernel is right on memory of its own and of another domain, and says whose") {
    for (const auto& kernel : kernels()) {
        for (const std::string arrangement : {"own", "away-1", "exchanged"}) {
            CAPTURE(kernel.name);
            CAPTURE(arrangement);
            std::unique_ptr<PlacedOperation> operation;
            try {
                operation = kernel.make(world(), pretended_seat(), arrangement, order);
            } catch (const mpi::AgreedError& error) {
                REQUIRE(kernel.name == "dgemm");  // no BLAS here
                REQUIRE(std::string(error.what()).find("no BLAS") != std::string::npos);
                continue;
            }
            operation->fill(7);
            operation->run(3);
            CHECK(operation->verify(3) > 0);
            const auto told = described(*operation);
            const bool two = world().size() == 2;
            const std::map<std::string, std::string> touchers{
                {"own", two ? "[0,1]" : "[0,1,2,3]"},
                {"away-1", two ? "[1,0]" : "[2,3,0,1]"},
                // Of one rank per domain the lower half is all there is.
                {"exchanged", two ? "[0,1]" : "[0,3,2,1]"}};
            CHECK(told.find("\"toucher\":" + touchers.at(arrangement)) != std::string::npos);
            const auto* link =
                arrangement == "away-1" ? R"("link":["neighbor",)" : R"("link":["own",)";
            CHECK(told.find(link) != std::string::npos);
        }
    }
}

TEST_CASE("a wrong result is noticed: what another rank's work would look like") {
    for (const auto& kernel : kernels()) {
        CAPTURE(kernel.name);
        std::unique_ptr<PlacedOperation> operation;
        try {
            operation = kernel.make(world(), pretended_seat(), "own", order);
        } catch (const mpi::AgreedError&) {
            continue;  // no BLAS here
        }
        operation->fill(7);
        if (kernel.name != "latency") {  // the chase only reads
            CHECK_THROWS_AS((void)operation->verify(1), measure::WrongPayload);
        }
        operation->run(1);
        CHECK_NOTHROW((void)operation->verify(1));
    }
}

TEST_CASE("pages are where the kernel says, not where they were meant to be") {
    auto operation = kernels()[1].make(world(), {.package = 0, .domain = 1000}, "own", order);
    operation->fill(1);
    const auto told = described(*operation);
    std::vector<std::byte> memory(std::size_t{1} << 16U, std::byte{1});
    const auto pages = pages_by_domain(memory);
    const bool known = main_domain(pages) >= 0;
    const auto none = told.find(R"("pages_elsewhere":[0,)") != std::string::npos;
    CHECK(none == !known);
    if (known && transrank::lab::machine::read_domains().size() < 2) {
        CHECK(main_domain(pages) == 0);
    }
}

TEST_CASE("one domain has no other memory, on every rank with the same words") {
    for (const auto& kernel : kernels().subspan(1)) {
        CHECK_THROWS_WITH_AS(
            (void)kernel.make(world(), {.package = 0, .domain = 3}, "away-1", order),
            "the ranks of this node are in one memory domain: no memory is farther than its own",
            mpi::AgreedError);
    }
}

namespace {

/// Packages of as many domains, domains of as many workers.
std::vector<Seat> seats_of(int packages, int domains, int workers) {
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
    const auto seats = seats_of(2, 2, 6);
    const auto data_of = assign("exchanged", seats);
    REQUIRE(data_of.size() == figure_3.size());
    for (const auto& [thread, init_thread, link] : figure_3) {
        CAPTURE(thread);
        CHECK(data_of[static_cast<std::size_t>(thread)] == init_thread);
        CHECK(link_between(thread / 6, init_thread / 6, seats) == link);
    }
}

TEST_CASE("whatever the node, every worker's data has one user, and exchanged ones swap") {
    for (const auto& [packages, domains, workers] :
         {std::array{1, 2, 1}, {1, 2, 4}, {2, 1, 5}, {2, 2, 3}, {3, 1, 4}, {2, 3, 8}, {4, 4, 2}}) {
        const auto seats = seats_of(packages, domains, workers);
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
    auto seats = seats_of(1, 2, 2);
    std::swap(seats[1], seats[2]);  // ranks take turns: domains 0 1 0 1
    CHECK(assign("away-1", seats) == std::vector{1, 0, 3, 2});
    CHECK(assign("exchanged", seats) == std::vector{0, 1, 3, 2});
}

TEST_CASE("one domain has no other memory, and no node has more distances than domains") {
    CHECK_THROWS_WITH_AS((void)assign("exchanged", seats_of(1, 1, 4)),
                         doctest::Contains("in one memory domain"), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)assign("away-4", seats_of(2, 2, 6)),
                         doctest::Contains("in 4 memory domains: none is 4 farther"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)assign("sideways", seats_of(2, 2, 6)),
                         "unknown arrangement 'sideways'", std::invalid_argument);
    CHECK(assign("own", seats_of(1, 1, 3)) == std::vector{0, 1, 2});
    auto uneven = seats_of(2, 1, 2);
    uneven.push_back({.package = 1, .domain = 1});
    CHECK_THROWS_WITH_AS((void)assign("away-1", uneven),
                         doctest::Contains("different numbers of ranks"), std::invalid_argument);
    CHECK(assign("exchanged", uneven) == std::vector{0, 1, 2, 3, 4});
}
