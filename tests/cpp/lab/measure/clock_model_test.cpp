// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/clock_model.hpp"

#include <bit>

#include "../../exchange/pretended_nodes.hpp"
#include "lab/machine/clock.hpp"
#include "lab/measure/synchronisation.hpp"

using namespace transrank;
using namespace transrank::lab;
using testing::world;

TEST_CASE("a clock model and its inverse agree") {
    const measure::ClockModel model{.reference = 1000, .offset = -3.5, .drift = 2e-5};
    CHECK(model.global(1000) == doctest::Approx(996.5).epsilon(1e-15));
    for (const double local : {0.0, 999.0, 1234.5}) {
        CHECK(std::abs(model.local(model.global(local)) - local) < 1e-9);
    }
}

TEST_CASE("ranks of one node share a clock and need no fit") {
    const auto fit = measure::synchronise_clocks(world(), machine::now);
    const auto node = world().split_node();
    if (node.size() == world().size()) {
        CHECK(fit.model.offset == 0);
        CHECK(fit.model.drift == 0);
        CHECK(fit.accuracy_seconds == 0);
        CHECK(fit.offsets.size() == (world().rank() == 0 ? 1 : 0));
    }
}

TEST_CASE("clocks that differ in offset and rate are brought together") {
    // Each rank plays a node of its own whose clock is wrong in a known way.
    const double wrong_offset = 3.0 * world().rank();
    const double wrong_rate = 1 + (0.01 * world().rank());
    const auto clock = [&] { return (machine::now() * wrong_rate) + wrong_offset; };
    // Against rank 0's clock, which is right. A rank that loses its core spoils a fit, so two ranks
    // try some more: a fit that is wrong by itself always is. More share the cores too often.
    const double most = world().size() <= 2 ? 3e-6 : 5e-3;
    measure::ClockFit fit;
    std::array<double, 2> errors{1, 1};  // of a moment, in seconds, and of the drift
    for (int attempt = 0; attempt < 8 && (errors[0] > most || errors[1] > 1e-3); ++attempt) {
        fit = measure::synchronise_node_clocks(world(), clock);
        const double moment = machine::now();
        errors = {std::abs(fit.model.global((moment * wrong_rate) + wrong_offset) - moment),
                  world().rank() == 0 ? 0 : std::abs(fit.model.drift - ((1 / wrong_rate) - 1))};
        MPI_Allreduce(MPI_IN_PLACE, errors.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(errors[0] <= most);
    CHECK(errors[1] <= 1e-3);
    if (world().rank() != 0) {
        CHECK(fit.model.offset != 0);
    }
    if (world().rank() == 0) {
        CHECK(fit.offsets.size() == static_cast<std::size_t>(world().size()));
    }
}

TEST_CASE("clocks that part after the fit are found out, and errors add up along the tree") {
    double wrong = 0;
    const auto clock = [&] { return machine::now() + wrong; };
    const auto fit = measure::synchronise_node_clocks(world(), clock);
    // Ranks learn from the rank whose number has their lowest bit cleared: each is wrong by a tenth
    // of a second more than its teacher, rank 3 by two against rank 0.
    const int steps = std::popcount(static_cast<unsigned>(world().rank()));
    wrong = 0.1 * steps;
    const double error = measure::check_node_clocks(world(), fit.model, clock);
    CHECK(error >= wrong - 5e-3);
    CHECK(error < wrong + 0.1);
    const testing::PretendedNodes nodes(1);
    const double worst = measure::check_clocks(world(), fit.model, clock);
    const double most = world().size() == 1 ? 0 : (world().size() == 4 ? 0.2 : 0.1);
    CHECK(worst >= most - 5e-3);
    CHECK(worst < most + 0.1);
}

namespace {

// While set, an MPI_Allreduce on this rank returns so much later.
double slow_seconds = 0;

}  // namespace

extern "C" int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm) {
    const int status = PMPI_Allreduce(send, receive, count, datatype, op, comm);
    for (const double end = machine::now() + slow_seconds; machine::now() < end;) {
    }
    return status;
}

TEST_CASE("lateness is the worst of all starts since it was asked, and is then forgotten") {
    const auto synchronisation = measure::make_agreed_time(world(), {});
    const bool last = world().rank() == world().size() - 1;
    (void)synchronisation->start();
    slow_seconds = last ? 100e-3 : 0;
    (void)synchronisation->start();
    slow_seconds = 0;
    (void)synchronisation->start();
    const double late = synchronisation->take_lateness();
    if (last) {
        CHECK(late > 20e-3);
        CHECK(synchronisation->take_lateness() == 0);
    }
}

TEST_CASE("the lead grows while starts are missed, within bounds, and shrinks again") {
    if (world().size() > 1) {
        return;  // a rank that loses its core misses starts by itself
    }
    const auto synchronisation = measure::make_agreed_time(world(), {});
    const auto lead = [&] {  // from the last arrival to the agreed start
        const double came = machine::now();
        return synchronisation->start() - came;
    };
    const auto shortest_lead = [&] {
        double shortest = 1;
        for (int i = 0; i < 64; ++i) {
            shortest = std::min(shortest, lead());
        }
        return shortest;
    };
    const double usual = shortest_lead();
    slow_seconds = 1e-3;
    for (int i = 0; i < 64 * 14; ++i) {
        (void)synchronisation->start();
    }
    slow_seconds = 0;
    const double grown = shortest_lead();
    CHECK(grown > 2 * usual);
    for (int i = 0; i < 64 * 70; ++i) {
        (void)synchronisation->start();
    }
    CHECK(shortest_lead() < grown / 2);
}

TEST_CASE("an agreed start is the same moment on every rank's clock, and lateness is told") {
    for (const double apart : {0.0, 1e-3}) {  // from one rank's clock to the next one's
        const measure::ClockModel model{
            .reference = machine::now(), .offset = apart * world().rank(), .drift = 0};
        const auto synchronisation = measure::make_agreed_time(world(), model);
        double least_late = 1;
        for (int i = 0; i < 100; ++i) {
            const double local = synchronisation->start();
            const double now = machine::now();
            CHECK(now >= local);
            const double late = synchronisation->take_lateness();
            CHECK(late >= 0);
            least_late = std::min(least_late, late);
            const double begin = model.global(local);
            double first = 0;
            double last = 0;
            MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
            MPI_Allreduce(&begin, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            CHECK(last - first < 1e-9);
        }
        if (world().size() <= 2) {  // more ranks share cores, and are late by whole time slices
            CHECK(least_late < 0.4e-3);
        }
    }
}
