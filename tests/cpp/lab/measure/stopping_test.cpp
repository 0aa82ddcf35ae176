// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/stopping.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace transrank::lab::measure;

namespace {

std::vector<double> spread_about(double median, double half_width, std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = median + (i % 2 == 0 ? -half_width : half_width);
    }
    return values;
}

Progress after(const std::vector<double>& seconds, int rounds, double measuring_seconds) {
    return {.seconds = seconds,
            .clean = static_cast<std::int64_t>(seconds.size()),
            .rounds = rounds,
            .uncounted = 0,
            .operations = static_cast<std::int64_t>(seconds.size()),
            .measuring_seconds = measuring_seconds};
}

}  // namespace

TEST_CASE("rounds that do not count make no case precise, and earn it no further time") {
    const auto stopping = make_interval_stopping(0.02, 1);
    const auto narrow = spread_about(1, 0.001, 40);
    auto progress = after(narrow, 6, 0.9);
    CHECK(stopping->judge(progress) == StopReason::precise);
    progress.uncounted = 3;
    CHECK(stopping->judge(progress) == StopReason::go_on);
    progress.clean = 0;
    progress.measuring_seconds = 1;
    CHECK(stopping->judge(progress) == StopReason::max_time);
    progress.uncounted = 0;
    progress.rounds = 3;
    CHECK(stopping->judge(progress) == StopReason::go_on);
}

TEST_CASE("a case is precise when its interval is narrower than asked, at any scale") {
    const auto stopping = make_interval_stopping(0.02, 1);
    for (const double scale : {1e-9, 1.0, 1e3}) {
        CAPTURE(scale);
        const auto narrow = spread_about(scale, 0.009 * scale, 40);
        const auto wide = spread_about(scale, 0.011 * scale, 40);
        CHECK(stopping->judge(after(narrow, 4, 0.1)) == StopReason::precise);
        CHECK(stopping->judge(after(wide, 4, 0.1)) == StopReason::go_on);
    }
}

TEST_CASE("a case is not believed before it was seen in four rounds and by twenty samples") {
    const auto stopping = make_interval_stopping(0.02, 1);
    const auto many = spread_about(1, 0.001, 1000);
    const auto few = spread_about(1, 0.001, 19);
    for (int rounds = 0; rounds < 4; ++rounds) {
        CHECK(stopping->judge(after(many, rounds, 0.1)) == StopReason::go_on);
    }
    CHECK(stopping->judge(after(few, 4, 0.1)) == StopReason::go_on);
    CHECK(stopping->judge(after(spread_about(1, 0.001, 20), 4, 0.1)) == StopReason::precise);
}

TEST_CASE("a case ends when its time is spent, once it has been seen twice") {
    const auto stopping = make_interval_stopping(0.02, 1);
    const auto wide = spread_about(1, 0.5, 10);
    CHECK(stopping->judge(after(wide, 2, 0.99)) == StopReason::go_on);
    CHECK(stopping->judge(after(wide, 2, 1)) == StopReason::max_time);
    CHECK(stopping->judge(after(wide, 1, 100)) == StopReason::go_on);
    CHECK(stopping->judge(after({}, 5, 100)) == StopReason::go_on);
}

TEST_CASE("a case whose samples were all disturbed may wait for clean ones, but not for ever") {
    const auto stopping = make_interval_stopping(0.02, 1);
    const auto wide = spread_about(1, 0.5, 10);
    auto disturbed = after(wide, 8, 1);
    disturbed.clean = 5;
    CHECK(stopping->judge(disturbed) == StopReason::go_on);
    disturbed.measuring_seconds = 4;
    CHECK(stopping->judge(disturbed) == StopReason::max_time);
}

TEST_CASE("a case too long for its time may take twice that for the samples of an interval") {
    const auto stopping = make_interval_stopping(0.02, 1);
    CHECK(stopping->judge(after(spread_about(1, 0.5, 5), 3, 1.9)) == StopReason::go_on);
    CHECK(stopping->judge(after(spread_about(1, 0.5, 5), 3, 2)) == StopReason::max_time);
    CHECK(stopping->judge(after(spread_about(1, 0.5, 6), 3, 1)) == StopReason::max_time);
}

TEST_CASE("a case that is precise when its time is spent says precise") {
    const auto stopping = make_interval_stopping(0.02, 1);
    CHECK(stopping->judge(after(spread_about(1, 0.001, 40), 4, 2)) == StopReason::precise);
}

TEST_CASE("the judge leaves the samples in their order") {
    const auto stopping = make_interval_stopping(0.02, 1);
    const auto samples = spread_about(1, 0.5, 40);
    const auto before = samples;
    (void)stopping->judge(after(samples, 4, 0.1));
    CHECK(samples == before);
}

TEST_CASE("counting stops at the number of operations, whatever they show") {
    const auto stopping = make_count_stopping(40);
    CHECK(stopping->judge(after(spread_about(1, 0.9, 39), 9, 100)) == StopReason::go_on);
    CHECK(stopping->judge(after(spread_about(1, 0.9, 40), 0, 0)) == StopReason::count);
    CHECK(stopping->judge(after(spread_about(1, 0.0, 41), 1, 0)) == StopReason::count);
}

TEST_CASE("each reason has the name that records use") {
    CHECK(name(StopReason::precise) == "precise");
    CHECK(name(StopReason::max_time) == "max-time");
    CHECK(name(StopReason::count) == "count");
}
