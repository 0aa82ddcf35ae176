// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/timing.hpp"

#include "../../exchange/pretended_nodes.hpp"
#include "lab/machine/clock.hpp"
#include "lab/machine/process.hpp"
#include "lab/measure/turns.hpp"
#include "rival.hpp"

using namespace transrank;
using namespace transrank::lab;
using measure::most_turns_per_node;
using measure::turn_of;

namespace {

using Events = std::vector<std::string>;

double untimed_seconds = 0;  ///< so long takes each start, and what is done before it

void spin(double seconds) {
    for (const double end = machine::now() + seconds; machine::now() < end;) {
    }
}

class LoggedStart final : public measure::Synchronisation {
public:
    LoggedStart(std::unique_ptr<measure::Synchronisation> real, Events& events)
        : real_(std::move(real)), events_(events) {}

    double start() override {
        events_.emplace_back("start");
        spin(untimed_seconds);
        return real_->start();
    }

private:
    std::unique_ptr<measure::Synchronisation> real_;
    Events& events_;
};

/// Lasts a millisecond on rank 0 and two on the others, and remembers from when to when.
class LoggedRun final : public measure::Operation {
public:
    LoggedRun(const mpi::Communicator& comm, Events& events)
        : seconds_(comm.rank() == 0 ? 1e-3 : 2e-3), events_(events) {}

    void fill(std::uint64_t /*stamp*/) override {}
    void prepare() override {
        events_.emplace_back("prepare");
        spin(untimed_seconds);
    }
    void run(std::int64_t repetitions) override {
        events_.push_back("run " + std::to_string(repetitions));
        begin = machine::now();
        for (end = begin; end < begin + seconds_; end = machine::now()) {
        }
        spent += end - begin;
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

    [[nodiscard]] double own_seconds() const override { return 0.25; }

    [[nodiscard]] double least_seconds() const { return seconds_; }
    double begin = 0;
    double end = 0;
    double spent = 0;

private:
    double seconds_;
    Events& events_;
};

using MakeStart = std::unique_ptr<measure::Synchronisation> (*)(const mpi::Communicator& comm);

std::unique_ptr<measure::Synchronisation> make_agreed_time(const mpi::Communicator& comm) {
    return measure::make_agreed_time(comm, {});
}

struct Timed {
    mpi::Communicator comm{MPI_COMM_WORLD};
    mpi::Communicator node = comm.split_node();
    measure::Turns turns = measure::share_turns(comm, node);
    Events events;
    LoggedStart start;
    LoggedRun run{comm, events};
    measure::CoreWatch core;
    std::optional<double> seconds;

    Timed(measure::TimingKind kind, std::int64_t repetitions,
          MakeStart make_start = measure::make_barrier)
        : start(make_start(comm), events) {
        seconds = measure::time(kind, {run, start, turns, core}, repetitions);
    }

    /// One value of each rank.
    [[nodiscard]] std::vector<double> of_all(double own) const {
        std::vector<double> all(static_cast<std::size_t>(comm.size()));
        MPI_Allgather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm.handle());
        return all;
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

TEST_CASE("neither a start nor what comes before it is timed") {
    untimed_seconds = 10e-3;
    using enum measure::TimingKind;
    for (const auto kind : {bulk, single, in_turn}) {
        CAPTURE(measure::name(kind));
        double most = 1;  // of any rank, in the best of some attempts: one may lose its core
        for (int attempt = 0; attempt < 5 && most > 5e-3; ++attempt) {
            const Timed timed(kind, 2);
            most = std::ranges::max(timed.of_all(timed.seconds.value() - timed.run.spent));
        }
        CHECK(most <= 5e-3);
    }
    untimed_seconds = 0;
}

TEST_CASE("own: one start, and the time that the operation tells of itself") {
    const Timed timed(measure::TimingKind::own, 3);
    CHECK(timed.events == Events{"start", "run 3"});
    CHECK(timed.seconds == 0.25);
}

TEST_CASE("every timing watches the core from where what is timed begins") {
    if (machine::nanoseconds_without_core() < 0) {
        return;  // lost once is then lost for long
    }
    // A watch that was never begun takes all switches of the process for its own.
    test::beside_rival([] {
        const double begin = machine::now();
        while (machine::involuntary_switches() == 0 && machine::now() < begin + 10) {
        }
    });
    REQUIRE(measure::CoreWatch().lost_in(3600));
    for (const auto kind : {measure::TimingKind::bulk, measure::TimingKind::single,
                            measure::TimingKind::own, measure::TimingKind::in_turn}) {
        CHECK_FALSE(Timed(kind, 1).core.lost_in(3600));
    }
}

TEST_CASE("in turn: every rank runs its batch once, while no other runs, by any common start") {
    for (const auto& make_start : {measure::make_barrier, make_agreed_time}) {
        const Timed timed(measure::TimingKind::in_turn, 3, make_start);
        Events expected(static_cast<std::size_t>(timed.comm.size()) + 1, "start");
        expected.insert(expected.begin() + timed.comm.rank() + 1, "run 3");
        CHECK(timed.events == expected);
        CHECK(timed.seconds >= timed.run.least_seconds());
        const auto begins = timed.of_all(timed.run.begin);
        const auto ends = timed.of_all(timed.run.end);
        for (std::size_t rank = 1; rank < begins.size(); ++rank) {
            CHECK(ends[rank - 1] <= begins[rank]);
        }
    }
}

TEST_CASE("in turn: no rank goes on before the last one has had its turn") {
    for (const auto& make_start : {measure::make_barrier, make_agreed_time}) {
        const Timed timed(measure::TimingKind::in_turn, 1, make_start);
        const double over = machine::now();
        CHECK(std::ranges::max(timed.of_all(timed.run.end)) <= over);
    }
}

TEST_CASE("in turn: nodes run in parallel, each one rank at a time") {
    for (const int per_node : {1, 2}) {
        const testing::PretendedNodes nodes(per_node);
        const Timed timed(measure::TimingKind::in_turn, 3);
        const int turns = std::min(per_node, timed.comm.size());
        Events expected(static_cast<std::size_t>(turns) + 1, "start");
        expected.insert(expected.begin() + (timed.comm.rank() % per_node) + 1, "run 3");
        CHECK(timed.events == expected);
    }
}

TEST_CASE("in turn: a rank without a turn has no time") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    const auto barrier = measure::make_barrier(comm);
    Events events;
    LoggedRun run(comm, events);
    measure::CoreWatch core;
    measure::Turns turns{.count = 1, .own = std::nullopt};
    if (comm.rank() == comm.size() - 1) {
        turns.own = 0;
    }
    const auto seconds =
        measure::time(measure::TimingKind::in_turn, {run, *barrier, turns, core}, 2);
    CHECK(seconds.has_value() == turns.own.has_value());
    CHECK(events.size() == (turns.own ? 1 : 0));
}

TEST_CASE("every rank of a narrow node has a turn of its own, in rank order") {
    for (int size = 1; size <= most_turns_per_node; ++size) {
        for (int rank = 0; rank < size; ++rank) {
            CHECK(turn_of(rank, size) == rank);
        }
    }
}

TEST_CASE("on a wide node as many ranks as there are turns have one, at equal distances") {
    for (int size = most_turns_per_node; size < 400; ++size) {
        CAPTURE(size);
        std::vector<int> chosen;
        for (int rank = 0; rank < size; ++rank) {
            if (const auto turn = turn_of(rank, size)) {
                CHECK(*turn == static_cast<int>(chosen.size()));
                chosen.push_back(rank);
            }
        }
        REQUIRE(chosen.size() == most_turns_per_node);
        CHECK(chosen.front() == 0);
        chosen.push_back(size);
        for (std::size_t i = 1; i < chosen.size(); ++i) {
            const int distance = chosen[i] - chosen[i - 1];
            CHECK(distance >= size / most_turns_per_node);
            CHECK(distance <= (size / most_turns_per_node) + 1);
        }
    }
}

TEST_CASE("there are as many turns as the widest node needs, not as there are ranks") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    for (int per_node = 1; per_node <= world.size(); ++per_node) {
        CAPTURE(per_node);
        const testing::PretendedNodes nodes(per_node);
        const auto turns = measure::share_turns(world, world.split_node());
        CHECK(turns.count == per_node);
        CHECK(turns.own == world.rank() % per_node);
    }
}
