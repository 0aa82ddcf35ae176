// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/steal_watch.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <vector>

using namespace transrank;
using namespace transrank::lab;

namespace {

/// A node of ten CPUs of which rank r runs on CPU 2r, until it moves.
struct Node {
    mpi::Communicator comm{MPI_COMM_WORLD};
    std::vector<std::int64_t> stolen = std::vector<std::int64_t>(10, 5);
    int cpu = 2 * comm.rank();
    measure::StealWatch watch{
        comm, {.stolen_ticks = [this] { return stolen; }, .current_cpu = [this] { return cpu; }}};

    /// What the node's first rank learns when a tick of `victim` is stolen, and each rank moves by
    /// `step` CPUs, between begin and end.
    bool notices(std::size_t victim, int step = 0) {
        watch.begin();
        stolen[victim] += 1;
        cpu += step;
        int noticed = watch.end() ? 1 : 0;
        CHECK((comm.rank() == 0 || noticed == 0));
        MPI_Bcast(&noticed, 1, MPI_INT, 0, MPI_COMM_WORLD);
        return noticed != 0;
    }
};

}  // namespace

TEST_CASE("time stolen from a rank's CPU is noticed, from another CPU it is not") {
    Node node;
    for (std::size_t cpu = 0; cpu < 10; ++cpu) {
        CAPTURE(cpu);
        const bool used = cpu % 2 == 0 && cpu < 2 * static_cast<std::size_t>(node.comm.size());
        CHECK(node.notices(cpu) == used);
    }
}

TEST_CASE("a rank that moves is watched where it was and where it is") {
    CHECK(Node().notices(0, 1));
    CHECK(Node().notices(1, 1));
    CHECK(!Node().notices(9, 1));
}

TEST_CASE("nothing stolen, a kernel that does not tell and an unknown CPU are no steal") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    const auto watch = [&](std::vector<std::int64_t> before, std::vector<std::int64_t> after,
                           int cpu) {
        std::vector<std::int64_t> told = std::move(before);
        measure::StealWatch one(
            comm, {.stolen_ticks = [&] { return told; }, .current_cpu = [&] { return cpu; }});
        one.begin();
        told = std::move(after);
        return one.end();
    };
    CHECK(!watch({5, 5}, {5, 5}, 0));
    CHECK(!watch({}, {}, 0));
    CHECK(!watch({5, 5}, {6, 6}, -1));
    CHECK(!watch({5, 5}, {6, 6}, 1 << 20));
}
