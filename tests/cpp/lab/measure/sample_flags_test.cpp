// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "bench.hpp"
#include "lab/machine/clock.hpp"
#include "lab/machine/process.hpp"
#include "lab/measure/core_watch.hpp"
#include "lab/measure/samples.hpp"
#include "lab/measure/steal_watch.hpp"
#include "rival.hpp"

using namespace transrank;
using namespace transrank::lab;
using test::Bench;

TEST_CASE("exactly the first round's samples are warm-up") {
    Bench bench;
    bench.stopping = measure::make_count_stopping(100'000);
    bench.settings.max_seconds = 2;
    bench.add("a", 1e-6);
    bench.measure();
    const auto& run = bench.group[0];
    if (bench.is_root()) {
        std::size_t sum = 0;
        for (const auto count : run.reduced.rounds) {
            sum += static_cast<std::size_t>(count);
        }
        REQUIRE(run.reduced.rounds.size() > 1);
        CHECK(sum == run.reduced.slowest.size());
        for (std::size_t i = 0; i < run.reduced.flags.size(); ++i) {
            const bool first = i < static_cast<std::size_t>(run.reduced.rounds.front());
            REQUIRE(((run.reduced.flags[i] & measure::warm_up) != 0) == first);
        }
    }
}

TEST_CASE("a case of which one sample takes a round needs no round to warm up") {
    Bench bench;
    bench.stopping = measure::make_interval_stopping(1e-9, 8e-3);
    bench.settings.max_seconds = 8e-3;
    bench.add("a", 20e-3, "", 0.5);
    bench.measure();
    const auto& run = bench.group[0];
    if (bench.is_root()) {
        CHECK(run.reduced.rounds == std::vector<std::int64_t>{1, 1});
        for (const auto flag : run.reduced.flags) {
            CHECK((flag & measure::warm_up) == 0);
        }
    }
}

namespace {

/// A common start that some rank misses by a millisecond, the `missed`-th since it was asked last.
class Missed final : public measure::Synchronisation {
public:
    Missed(const mpi::Communicator& comm, int missed)
        : barrier_(measure::make_barrier(comm)), missed_(missed) {}

    double start() override {
        late_ = late_ || ++starts_ == missed_;
        return barrier_->start();
    }
    [[nodiscard]] double take_lateness() override {
        starts_ = 0;
        return std::exchange(late_, false) ? 1e-3 : 0;
    }

private:
    std::unique_ptr<measure::Synchronisation> barrier_;
    int missed_;
    int starts_ = 0;
    bool late_ = false;
};

}  // namespace

TEST_CASE("a sample is late when any of its starts was missed, and when none was it is not") {
    for (const int missed : {1, 3, 1'000'000}) {
        CAPTURE(missed);
        Bench bench;
        const bool last = bench.comm.rank() == bench.comm.size() - 1;
        bench.synchronisation = std::make_unique<Missed>(bench.comm, last ? missed : 0);
        bench.add("a", 2e-6);
        bench.group[0].point.timing = measure::TimingKind::single;
        bench.measure();
        const auto& run = bench.group[0];
        REQUIRE(run.batch >= 3);
        for (const auto flag : run.own.flags) {
            CHECK(((flag & measure::late_start) != 0) == (missed <= 3));
        }
        if (bench.is_root()) {
            CHECK(std::ranges::max(run.reduced.late_seconds) == (missed <= 3 ? 1e-3 : 0));
        }
    }
}

TEST_CASE("a round in which a hypervisor took time from some rank is flagged on all of them") {
    for (const bool stolen : {false, true}) {
        Bench bench;
        std::int64_t ticks = 0;
        bench.settings.steal = {
            .stolen_ticks = [&] { return std::vector{stolen ? ++ticks : ticks}; },
            .current_cpu = [] { return 0; }};
        bench.add("a", 2e-6);
        bench.measure();
        const auto& flags = bench.group[0].own.flags;
        const auto flagged =
            std::ranges::count_if(flags, [](auto flag) { return (flag & measure::stolen) != 0; });
        CHECK(flagged == (stolen ? std::ssize(flags) : 0));
    }
}

TEST_CASE("a sample in which a rank lost its core is flagged") {
    if (Bench().comm.size() > 1) {
        return;  // one rank and a rival are enough for a core
    }
    std::int64_t flagged = 0;
    test::beside_rival([&] {
        for (int attempt = 0; attempt < 20 && flagged == 0; ++attempt) {
            Bench bench;
            bench.stopping = measure::make_count_stopping(4);
            bench.add("a", 20e-3);
            bench.measure();
            flagged = std::ranges::count_if(bench.group[0].own.flags, [](auto flag) {
                return (flag & measure::lost_core) != 0;
            });
        }
    });
    CHECK(flagged > 0);
}

TEST_CASE("how long a rank had no core while samples were taken is told") {
    Bench bench;
    if (!bench.is_root() || machine::nanoseconds_without_core() < 0) {
        return;
    }
    const mpi::Communicator self(MPI_COMM_SELF);
    auto synchronisation = measure::make_barrier(self);
    bench.add("a", 1e-3);
    test::beside_rival([&] {
        const measure::Workspace workspace(8, 8, measure::CacheMode::warm);
        measure::Sampler(self, *synchronisation, workspace, bench.settings)
            .measure(bench.group, {.calibrated = [](const measure::CaseRun&) {},
                                   .advanced = [](const measure::CaseRun&, int) { return true; },
                                   .finished = [](measure::CaseRun&) {}});
    });
    const auto& run = bench.group.front();
    CHECK(run.waited_seconds > 0.1 * run.sampling_seconds);
    CHECK(run.waited_seconds < run.measuring_seconds);
}

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

TEST_CASE("a core lost for long is noticed, for short beside a long sample not, and forgotten") {
    if (Bench().comm.size() > 1) {
        return;  // one rank and a rival are enough for a core
    }
    bool noticed = false;
    bool shows_in_an_hour = true;
    bool forgotten = false;
    test::beside_rival([&] {
        measure::CoreWatch watch;
        watch.begin();
        const double begin = machine::now();
        double seconds = 0;
        while (!noticed && seconds < 10) {
            seconds = machine::now() - begin;
            noticed = seconds > 0.05 && watch.lost_in(seconds);
        }
        shows_in_an_hour = watch.lost_in(3600);
        for (int i = 0; i < 100 && !forgotten; ++i) {
            watch.begin();
            forgotten = !watch.lost_in(0);
        }
    });
    CHECK(noticed);
    CHECK(shows_in_an_hour == (machine::nanoseconds_without_core() < 0));
    CHECK(forgotten);
}
