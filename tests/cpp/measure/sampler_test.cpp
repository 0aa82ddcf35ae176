// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "transrank/measure/sampler.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <sched.h>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rival.hpp"
#include "transrank/machine/clock.hpp"
#include "transrank/machine/process.hpp"
#include "transrank/measure/payload.hpp"
#include "transrank/measure/recording.hpp"

using namespace transrank;
using measure::CacheMode;
using measure::CaseRun;
using measure::StopReason;

namespace {

/// What the sampler did with a made-up operation.
struct Log {
    bool takes_part = true;
    double fill_seconds = 0;            ///< each fill takes so long
    std::vector<std::uint64_t> stamps;  ///< of each fill
    std::vector<std::int64_t> batches;  ///< of each run
    int verified = 0;
};

/// Takes so long as it is told, every other batch longer by `unrest`, and is told on which ranks
/// its payload is wrong.
class MadeUp final : public measure::Operation {
public:
    MadeUp(Log& log, double seconds, std::string failure, double unrest)
        : log_(log), seconds_(seconds), failure_(std::move(failure)), unrest_(unrest) {}

    [[nodiscard]] bool takes_part() const override { return log_.takes_part; }
    void fill(std::uint64_t stamp) override {
        log_.stamps.push_back(stamp);
        spin(log_.fill_seconds);
    }
    void run(std::int64_t repetitions) override {
        log_.batches.push_back(repetitions);
        const double factor = log_.batches.size() % 2 == 0 ? 1 : 1 + unrest_;
        spin(seconds_ * factor * static_cast<double>(repetitions));
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        ++log_.verified;
        if (!failure_.empty()) {
            throw measure::WrongPayload(failure_);
        }
        return 10;
    }

private:
    static void spin(double seconds) {
        const double end = machine::now() + seconds;
        while (machine::now() < end) {
        }
    }

    Log& log_;
    double seconds_;
    std::string failure_;
    double unrest_;
};

struct Bench {
    mpi::Communicator comm{MPI_COMM_WORLD};
    std::unique_ptr<measure::Synchronisation> synchronisation = measure::make_barrier(comm);
    std::unique_ptr<measure::Stopping> stopping = measure::make_count_stopping(50);
    CacheMode cache = CacheMode::warm;
    measure::SamplerSettings settings{.seed = 5, .max_seconds = 1e-3};
    std::map<std::string, Log> logs;
    std::int64_t bytes = 8;
    std::vector<std::string> calibrated;
    std::vector<std::string> advanced;
    std::vector<std::string> finished;
    std::vector<CaseRun> group;

    void add(const std::string& name, double seconds, const std::string& failure = "",
             double unrest = 0) {
        auto& run = group.emplace_back();
        run.point.study = name;
        run.point.send_bytes = bytes;
        run.point.receive_bytes = bytes;
        run.operation = std::make_unique<MadeUp>(logs[name], seconds, failure, unrest);
        run.stopping = stopping.get();
    }

    void measure() {
        const measure::Workspace workspace(bytes, bytes, cache);
        measure::Sampler sampler(comm, *synchronisation, workspace, settings);
        sampler.measure(
            group,
            {.calibrated = [&](const CaseRun& run) { calibrated.push_back(run.point.study); },
             .advanced =
                 [&](const CaseRun& run, int round) {
                     advanced.push_back(std::to_string(round) + run.point.study);
                 },
             .finished = [&](CaseRun& run) { finished.push_back(run.point.study); }});
    }

    [[nodiscard]] bool is_root() const { return comm.rank() == 0; }

    [[nodiscard]] bool same_everywhere(std::int64_t value) const {
        const std::int64_t both[2] = {value, -value};
        std::int64_t most[2] = {};
        MPI_Allreduce(both, most, 2, MPI_INT64_T, MPI_MAX, comm.handle());
        return most[0] == -most[1];
    }
    [[nodiscard]] bool same_everywhere(const std::vector<std::string>& words) const {
        std::string text;
        for (const auto& word : words) {
            text += word + ' ';
        }
        return same_everywhere(static_cast<std::int64_t>(std::hash<std::string>{}(text) >> 2U));
    }
};

/// How often each round's name was advanced: `0a`, `0b`, `1a` ...
std::map<std::string, int> counted(const std::vector<std::string>& words) {
    std::map<std::string, int> counts;
    for (const auto& word : words) {
        ++counts[word];
    }
    return counts;
}

}  // namespace

TEST_CASE("a wrong payload on one rank fails the case on all ranks, in that rank's words") {
    for (int wrong = 0; wrong < mpi::Communicator(MPI_COMM_WORLD).size(); ++wrong) {
        CAPTURE(wrong);
        for (const auto cache : {CacheMode::warm, CacheMode::rewritten, CacheMode::cold}) {
            Bench bench;
            bench.cache = cache;
            const std::string words = "words of rank " + std::to_string(wrong);
            bench.add("bad", 1e-6, bench.comm.rank() == wrong ? words : "");
            bench.add("good", 1e-6);
            bench.measure();
            CHECK(bench.group[0].failure == words);
            CHECK(bench.group[1].failure.empty());
            CHECK(bench.group[1].stop == StopReason::count);
            CHECK(bench.group[1].operations >= 50);
        }
    }
}

TEST_CASE("of several wrong ranks the first one's words are told, cut if they are long") {
    Bench bench;
    bench.add("bad", 1e-6, std::string(1000, static_cast<char>('a' + bench.comm.rank())));
    bench.measure();
    CHECK(bench.group[0].failure.size() > 300);
    CHECK(bench.group[0].failure.find_first_not_of('a') == std::string::npos);
}

TEST_CASE("a case that fails is measured no further") {
    Bench bench;
    bench.add("bad", 1e-6, "wrong");
    bench.measure();
    CHECK(bench.advanced == std::vector<std::string>{"0bad"});
    CHECK(bench.finished == std::vector<std::string>{"bad"});
}

TEST_CASE("all ranks take the same samples in the same order") {
    Bench bench;
    for (const std::string name : {"a", "b", "c", "d", "e"}) {
        bench.add(name, 2e-6 * (1 + bench.comm.rank()));
    }
    bench.measure();
    CHECK(bench.same_everywhere(bench.advanced));
    CHECK(bench.same_everywhere(bench.finished));
    CHECK(counted(bench.calibrated) == counted({"a", "b", "c", "d", "e"}));
    for (const auto& run : bench.group) {
        CHECK(bench.same_everywhere(run.batch));
        CHECK(bench.same_everywhere(run.slice));
        CHECK(bench.same_everywhere(run.operations));
        CHECK(bench.same_everywhere(static_cast<std::int64_t>(run.own.seconds.size())));
        CHECK(bench.same_everywhere(static_cast<std::int64_t>(run.stop)));
    }
}

TEST_CASE("every round visits every unfinished case once, controls first, others in turns") {
    Bench bench;
    bench.stopping = measure::make_count_stopping(100);  // too many for a few rounds
    const std::string names = "abcdefgh";
    for (const char name : names) {
        bench.add(std::string(1, name), 10e-6);
    }
    bench.group[5].point.control = true;
    bench.measure();
    CHECK(bench.calibrated.front() == "f");
    std::map<std::string, std::string> rounds;  // the names of each, in order
    for (const auto& [word, count] : counted(bench.advanced)) {
        CAPTURE(word);
        CHECK(count == 1);
    }
    for (const auto& word : bench.advanced) {
        rounds[word.substr(0, word.size() - 1)] += word.back();
    }
    std::set<std::string> orders;
    for (const auto& [round, order] : rounds) {
        CAPTURE(order);
        // It may have been finished before others.
        CHECK((order.front() == 'f' || order.find('f') == std::string::npos));
        orders.insert(order);
    }
    CHECK(orders.size() > 1);
    CHECK(counted(bench.finished).size() == names.size());
    CHECK(bench.finished.size() == names.size());
}

TEST_CASE("rank 0 learns the slowest and the fastest of every sample") {
    for (const auto clocks : {measure::Clocks::all, measure::Clocks::root}) {
        Bench bench;
        bench.add("a", 5e-6 * (1 + bench.comm.rank()));
        bench.group[0].point.clocks = clocks;
        bench.measure();
        const auto& run = bench.group[0];
        const auto count = static_cast<int>(run.own.seconds.size());
        std::vector<double> most(run.own.seconds.size());
        std::vector<double> least(run.own.seconds.size());
        MPI_Allreduce(run.own.seconds.data(), most.data(), count, MPI_DOUBLE, MPI_MAX,
                      bench.comm.handle());
        MPI_Allreduce(run.own.seconds.data(), least.data(), count, MPI_DOUBLE, MPI_MIN,
                      bench.comm.handle());
        if (bench.is_root()) {
            CHECK(run.reduced.slowest == (clocks == measure::Clocks::all ? most : run.own.seconds));
            CHECK(run.reduced.fastest == least);
            CHECK(run.reduced.flags.size() == run.own.flags.size());
        }
    }
}

TEST_CASE("a batch lasts long enough for the clock, or as long as the case asks") {
    // A rank that loses its core makes any batch last long enough, so alone, and the best of some.
    if (Bench().comm.size() > 1) {
        return;
    }
    for (const double asked : {0.0, 300e-6}) {
        CAPTURE(asked);
        double longest = 0;
        double least = 0;
        for (int attempt = 0; attempt < 5; ++attempt) {
            Bench bench;
            bench.add("a", 1e-6);
            bench.group[0].point.least_batch_seconds = asked;
            bench.measure();
            least = std::max(asked, bench.settings.least_batch_seconds);
            const auto& run = bench.group[0];
            const double shortest = *std::ranges::min_element(run.own.seconds);
            longest = std::max(longest, shortest * static_cast<double>(run.batch));
        }
        CHECK(longest >= 0.9 * least);
    }
}

TEST_CASE("an operation that lasts long enough by itself is a batch of its own") {
    Bench bench;
    bench.add("a", 1e-3);
    bench.stopping = measure::make_count_stopping(1);
    bench.group[0].stopping = bench.stopping.get();
    bench.measure();
    CHECK(bench.group[0].batch == 1);
}

TEST_CASE("a sample is the time per operation, and all operations count") {
    Bench bench;
    bench.add("a", 50e-6);
    bench.group[0].point.operations_per_repetition = 5;
    bench.measure();
    const auto& run = bench.group[0];
    for (const double seconds : run.own.seconds) {
        CHECK(seconds >= 10e-6);
    }
    CHECK(run.operations == static_cast<std::int64_t>(run.own.seconds.size()) * run.batch * 5);
}

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

TEST_CASE("a case goes on until it has its least number of operations") {
    Bench bench;
    bench.stopping = measure::make_count_stopping(1);
    bench.settings.max_seconds = 1;
    bench.add("a", 20e-6);
    bench.add("b", 20e-6);
    bench.group[0].point.least_operations = 300;
    bench.measure();
    CHECK(bench.group[0].operations >= 300);
    CHECK(bench.group[1].operations < 300);
}

TEST_CASE("a case that never gets precise ends when its time is spent") {
    Bench bench;
    bench.stopping = measure::make_interval_stopping(1e-9, 0.02);
    bench.settings.max_seconds = 0.02;
    bench.add("a", 30e-6, "", 0.5);
    bench.measure();
    CHECK(bench.group[0].stop == StopReason::max_time);
    if (bench.is_root()) {
        CHECK(bench.group[0].measuring_seconds >= 0.02);
    }
}

TEST_CASE("rewritten buffers get a new payload before each sample, and each is verified") {
    Bench bench;
    bench.cache = CacheMode::rewritten;
    bench.add("a", 1e-6);
    bench.measure();
    const auto& log = bench.logs["a"];
    const auto& run = bench.group[0];
    const std::set<std::uint64_t> distinct(log.stamps.begin(), log.stamps.end());
    CHECK(distinct.size() == log.stamps.size());
    CHECK(log.stamps.size() > run.own.seconds.size());
    CHECK(static_cast<std::size_t>(log.verified) > run.own.seconds.size());
    CHECK(run.verified_bytes == 10 * static_cast<std::uint64_t>(log.verified));
    // One slot per repetition: no batch is longer than there are slots.
    CHECK(*std::ranges::max_element(log.batches) <= 256);
}

TEST_CASE("a small payload is renewed and verified with each sample, a large one with each slice") {
    for (const auto cache : {CacheMode::warm, CacheMode::cold}) {
        for (const std::int64_t bytes : {4096, 4097}) {
            CAPTURE(bytes);
            Bench bench;
            bench.cache = cache;
            bench.bytes = bytes;
            bench.stopping = measure::make_count_stopping(200);
            bench.settings.max_seconds = 2;  // slices of many samples
            bench.add("a", 20e-6);
            bench.measure();
            const auto& log = bench.logs["a"];
            const auto samples = bench.group[0].own.seconds.size();
            const auto slices = bench.advanced.size();
            REQUIRE(samples > slices);
            const std::size_t verified = slices + (bytes == 4096 ? samples : 0);
            CHECK(static_cast<std::size_t>(log.verified) == verified);
            CHECK(log.stamps.size() == verified + 1);  // and to find the batch
            CHECK(std::set(log.stamps.begin(), log.stamps.end()).size() == log.stamps.size());
        }
    }
}

TEST_CASE("what a sample needs beside its clock counts when a round is sized") {
    Bench bench;
    bench.cache = CacheMode::rewritten;
    bench.stopping = measure::make_interval_stopping(1e-9, 0.2);
    bench.settings.max_seconds = 0.2;
    bench.add("a", 50e-6, "", 0.5);
    bench.logs["a"].fill_seconds = 4e-3;
    bench.measure();
    if (bench.is_root()) {
        const auto& run = bench.group[0];
        // A round is an eighth of 200 ms, a sample more than 4 ms: no round has more than six.
        CHECK(std::ranges::max(run.reduced.rounds) <= 6);
        CHECK(run.reduced.rounds.size() >= 4);
    }
}

TEST_CASE("the times of a rank that has no part do not count") {
    Bench bench;
    if (bench.comm.size() == 1) {
        return;
    }
    bench.add("a", bench.is_root() ? 10e-6 : 30e-6);
    const bool idle = bench.comm.rank() == bench.comm.size() - 1;
    bench.logs["a"].takes_part = !idle;
    bench.measure();
    const auto& run = bench.group[0];
    for (const double seconds : run.own.seconds) {
        CHECK(std::isnan(seconds) == idle);
    }
    if (bench.is_root()) {
        for (std::size_t i = 0; i < run.reduced.slowest.size(); ++i) {
            CHECK(run.reduced.fastest[i] >= 10e-6);
            CHECK(run.reduced.slowest[i] >= run.reduced.fastest[i]);
            CHECK(run.reduced.slowest[i] < 1e6);
        }
    }
    text::JsonWriter json;
    measure::record_slowest(run.own, bench.comm, json);
    if (bench.is_root()) {
        CHECK(json.text().find(",null],\"minimum\"") != std::string::npos);
        CHECK(json.text().find(",null],\"mean_of_all\"") != std::string::npos);
        CHECK(json.text().find("[null") == std::string::npos);
    }
}

TEST_CASE("a rank is summed up by its clean samples, and by one mean of all after warm-up") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    measure::Samples own;
    const double unit = 1 + comm.rank();
    own.append(9 * unit, measure::warm_up, 0);
    own.append(8 * unit, measure::lost_core, 0);
    for (const double seconds : {6.0, 1.0, 2.0}) {
        own.append(seconds * unit, 0, 0);
    }
    text::JsonWriter json;
    measure::record_slowest(own, comm, json);
    text::JsonWriter expected;
    expected.begin_object();
    const auto column = [&](std::string_view key, double first) {
        expected.key(key).begin_array();
        for (int rank = 0; rank < comm.size(); ++rank) {
            expected.value(first * (1 + rank));
        }
        expected.end_array();
    };
    column("median", 2);
    column("minimum", 1);
    column("mean", 3);
    column("mean_of_all", 4.25);
    if (comm.rank() == 0) {
        CHECK(json.text() == expected.end_object().text());
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

namespace {

void bind_to(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    REQUIRE(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
}

}  // namespace

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
    const int cpu = machine::current_cpu();
    std::atomic<bool> over{false};
    std::thread rival([&] {
        bind_to(cpu);
        while (!over) {
        }
    });
    std::int64_t flagged = 0;
    std::thread([&] {
        bind_to(cpu);
        for (int attempt = 0; attempt < 20 && flagged == 0; ++attempt) {
            Bench bench;
            bench.stopping = measure::make_count_stopping(4);
            bench.add("a", 20e-3);
            bench.measure();
            flagged = std::ranges::count_if(bench.group[0].own.flags, [](auto flag) {
                return (flag & measure::lost_core) != 0;
            });
        }
    }).join();
    over = true;
    rival.join();
    CHECK(flagged > 0);
}

namespace {

/// Follows a chain through all cache lines of a buffer, in an order that no prefetcher guesses.
class Chase final : public measure::Operation {
public:
    explicit Chase(std::span<std::byte> memory) {
        const std::size_t lines = memory.size() / 64;
        for (std::size_t i = 0; i < lines; ++i) {
            lines_.push_back(&memory[i * 797 % lines * 64]);
        }
    }
    void fill(std::uint64_t /*stamp*/) override {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto* next = lines_[(i + 1) % lines_.size()];
            std::memcpy(lines_[i], static_cast<const void*>(&next), sizeof next);
        }
    }
    void run(std::int64_t /*repetitions*/) override {
        std::byte* at = lines_.front();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            std::memcpy(static_cast<void*>(&at), at, sizeof at);
        }
        CHECK(at == lines_.front());
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

private:
    std::vector<std::byte*> lines_;
};

}  // namespace

TEST_CASE("cold buffers are read from memory, others from the caches") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    if (comm.size() > 1) {
        return;  // the caches of a rank alone
    }
    constexpr std::int64_t bytes = 64 << 10;
    const auto fastest = [&](CacheMode mode) {
        const measure::Workspace workspace(bytes, bytes, mode);
        const auto start = measure::make_barrier(comm);
        const auto stopping = measure::make_count_stopping(100);
        measure::Sampler sampler(comm, *start, workspace, {.seed = 1, .max_seconds = 1});
        std::vector<CaseRun> group(1);
        group[0].point.study = "chase";
        group[0].point.send_bytes = bytes;
        group[0].point.receive_bytes = bytes;
        group[0].point.timing = measure::TimingKind::single;
        group[0].operation = std::make_unique<Chase>(workspace.receive(0, bytes, bytes));
        group[0].stopping = stopping.get();
        sampler.measure(group, {.calibrated = [](const CaseRun&) {},
                                .advanced = [](const CaseRun&, int) {},
                                .finished = [](CaseRun&) {}});
        return std::ranges::min(group[0].own.seconds);
    };
    const double cold = fastest(CacheMode::cold);
    const double warm = fastest(CacheMode::warm);
    CHECK(cold > 3 * warm);
}

TEST_CASE("the least batch is that of the coarsest clock of any rank") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    const double most = comm.size();
    const double own = comm.rank() + 1;
    const auto least = [&](double resolution, double cost) {
        return measure::least_batch_seconds(
            comm, {.resolution_seconds = resolution, .cost_seconds = cost});
    };
    CHECK(least(1e-9, 30e-9) == doctest::Approx(40e-6));
    CHECK(least(own * 1e-6, 30e-9) == doctest::Approx(most * 200e-6));
    CHECK(least(1e-9, own * 1e-6) == doctest::Approx(most * 200e-6));
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
        const measure::Workspace workspace(8, 8, CacheMode::warm);
        measure::Sampler(self, *synchronisation, workspace, bench.settings)
            .measure(bench.group, {.calibrated = [](const CaseRun&) {},
                                   .advanced = [](const CaseRun&, int) {},
                                   .finished = [](CaseRun&) {}});
    });
    const auto& run = bench.group.front();
    CHECK(run.waited_seconds > 0.1 * run.sampling_seconds);
    CHECK(run.waited_seconds < run.measuring_seconds);
}
