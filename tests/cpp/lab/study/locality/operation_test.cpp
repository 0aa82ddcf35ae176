// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 4
// Work on memory that another rank has touched, on domains that are pretended.
#include <doctest/doctest.h>
#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/machine/domains.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/locality/blas.hpp"
#include "lab/study/locality/kernels.hpp"
#include "lab/study/locality/pages.hpp"
#include "transrank/mpi/agreement.hpp"

using namespace transrank;
using namespace transrank::lab;
using namespace transrank::lab::study::locality;

namespace {

constexpr std::int64_t order = 96;

/// As many domains as there are pairs of ranks, or one for each of two ranks.
Seat seat_of(const mpi::Communicator& world) {
    return {.package = 0, .domain = world.size() == 2 ? world.rank() : world.rank() / 2};
}

std::string described(PlacedOperation& operation) {
    text::JsonWriter json;
    json.begin_object();
    operation.describe(json);
    return json.end_object().text();
}

}  // namespace

TEST_CASE("every kernel is right on memory of its own and of another domain, and says whose") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (const auto& kernel : kernels()) {
        for (const std::string arrangement : {"own", "away-1", "exchanged"}) {
            CAPTURE(kernel.name);
            CAPTURE(arrangement);
            std::unique_ptr<PlacedOperation> operation;
            try {
                operation = kernel.make(world, seat_of(world), arrangement, order);
            } catch (const mpi::AgreedError& error) {
                REQUIRE(kernel.name == "dgemm");  // no BLAS here
                REQUIRE(std::string(error.what()).find("no BLAS") != std::string::npos);
                continue;
            }
            operation->fill(7);
            operation->run(3);
            CHECK(operation->verify(3) > 0);
            const auto told = described(*operation);
            const bool two = world.size() == 2;
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
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (const auto& kernel : kernels()) {
        CAPTURE(kernel.name);
        std::unique_ptr<PlacedOperation> operation;
        try {
            operation = kernel.make(world, seat_of(world), "own", order);
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
    const mpi::Communicator world(MPI_COMM_WORLD);
    auto operation = kernels()[1].make(world, {.package = 0, .domain = 1000}, "own", order);
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
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (const auto& kernel : kernels().subspan(1)) {
        CHECK_THROWS_WITH_AS(
            (void)kernel.make(world, {.package = 0, .domain = 3}, "away-1", order),
            "the ranks of this node are in one memory domain: no memory is farther than its own",
            mpi::AgreedError);
    }
}
