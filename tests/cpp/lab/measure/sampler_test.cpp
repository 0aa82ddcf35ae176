// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/sampler.hpp"

#include "bench.hpp"
#include "lab/measure/stopping.hpp"

using namespace transrank;
using namespace transrank::lab;
using measure::CacheMode;
using measure::CaseRun;
using measure::StopReason;
using test::Bench;

namespace {

/// How often each round's name was advanced: `0a`, `0b`, `1a` ...
std::map<std::string, int> counted(const std::vector<std::string>& words) {
    std::map<std::string, int> counts;
    for (const auto& word : words) {
        ++counts[word];
    }
    return counts;
}

/// Goes on until so many rounds count; however fast or disturbed the machine is.
class EnoughRounds final : public measure::Stopping {
public:
    explicit EnoughRounds(int enough) : enough_(enough) {}

    [[nodiscard]] StopReason judge(const measure::Progress& progress) const override {
        return progress.rounds - progress.uncounted >= enough_ ? StopReason::precise
                                                               : StopReason::go_on;
    }

private:
    int enough_;
};

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

TEST_CASE(
    "of several wrong ranks the first one's words are told, cut if long, and no more measured") {
    Bench bench;
    bench.add("bad", 1e-6, std::string(1000, static_cast<char>('a' + bench.comm.rank())));
    bench.measure();
    CHECK(bench.group[0].failure.size() > 300);
    CHECK(bench.group[0].failure.find_first_not_of('a') == std::string::npos);
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

TEST_CASE("a case goes on until enough rounds count") {
    for (const int first_that_counts : {1, 4}) {
        CAPTURE(first_that_counts);
        Bench bench;
        bench.stopping = std::make_unique<EnoughRounds>(4);
        // On other ranks than rank 0 the answer means nothing.
        bench.counts = [&](int round) { return !bench.is_root() || round >= first_that_counts; };
        bench.add("a", 1e-5);
        bench.measure();
        CHECK(bench.same_everywhere(bench.advanced));
        CHECK(static_cast<int>(bench.advanced.size()) == first_that_counts + 4);
    }
}

TEST_CASE("a case none of whose rounds counts ends when its time is spent") {
    Bench bench;
    bench.settings.max_seconds = 0.02;
    bench.stopping = measure::make_interval_stopping(0.5, bench.settings.max_seconds);
    bench.counts = [&](int) { return !bench.is_root(); };
    bench.add("a", 1e-5);
    bench.measure();
    CHECK(bench.same_everywhere(bench.advanced));
    CHECK(bench.group[0].stop == StopReason::max_time);
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
    }
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
