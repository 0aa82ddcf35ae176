// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "transrank/measure/timing.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "transrank/machine/clock.hpp"

using namespace transrank;

namespace {

using Events = std::vector<std::string>;

class LoggedStart final : public measure::Synchronisation {
public:
    LoggedStart(const mpi::Communicator& comm, Events& events)
        : barrier_(measure::make_barrier(comm)), events_(events) {}

    double start() override {
        events_.emplace_back("start");
        return barrier_->start();
    }

private:
    std::unique_ptr<measure::Synchronisation> barrier_;
    Events& events_;
};

/// Lasts a millisecond on rank 0 and two on the others, and remembers from when to when.
class LoggedRun final : public measure::Operation {
public:
    LoggedRun(const mpi::Communicator& comm, Events& events)
        : seconds_(comm.rank() == 0 ? 1e-3 : 2e-3), events_(events) {}

    void fill(std::uint64_t /*stamp*/) override {}
    void prepare() override { events_.emplace_back("prepare"); }
    void run(std::int64_t repetitions) override {
        events_.push_back("run " + std::to_string(repetitions));
        begin = machine::now();
        for (end = begin; end < begin + seconds_; end = machine::now()) {
        }
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

    [[nodiscard]] double least_seconds() const { return seconds_; }
    double begin = 0;
    double end = 0;

private:
    double seconds_;
    Events& events_;
};

struct Timed {
    mpi::Communicator comm{MPI_COMM_WORLD};
    Events events;
    LoggedStart start{comm, events};
    LoggedRun run{comm, events};
    double seconds;

    Timed(measure::TimingKind kind, std::int64_t repetitions) {
        seconds = measure::timing(kind)({run, start, comm}, repetitions);
    }
};

}  // namespace

TEST_CASE("bulk: one start, then the whole batch") {
    const Timed timed(measure::TimingKind::bulk, 3);
    CHECK(timed.events == Events{"start", "run 3"});
    CHECK(timed.seconds >= timed.run.least_seconds());
}

TEST_CASE("single: a start before each operation, after what is not timed") {
    const Timed timed(measure::TimingKind::single, 2);
    CHECK(timed.events == Events{"prepare", "start", "run 1", "prepare", "start", "run 1"});
    CHECK(timed.seconds >= 2 * timed.run.least_seconds());
}

TEST_CASE("in turn: every rank runs its batch once, while no other runs") {
    const Timed timed(measure::TimingKind::in_turn, 3);
    Events expected(static_cast<std::size_t>(timed.comm.size()), "start");
    expected.insert(expected.begin() + timed.comm.rank() + 1, "run 3");
    CHECK(timed.events == expected);
    CHECK(timed.seconds >= timed.run.least_seconds());

    std::vector<double> begins(static_cast<std::size_t>(timed.comm.size()));
    std::vector<double> ends(begins.size());
    MPI_Allgather(&timed.run.begin, 1, MPI_DOUBLE, begins.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgather(&timed.run.end, 1, MPI_DOUBLE, ends.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (std::size_t rank = 1; rank < begins.size(); ++rank) {
        CHECK(ends[rank - 1] <= begins[rank]);
    }
}

TEST_CASE("each choice has the name that records use") {
    CHECK(name(measure::TimingKind::bulk) == "bulk");
    CHECK(name(measure::TimingKind::single) == "single");
    CHECK(name(measure::TimingKind::in_turn) == "in-turn");
}
