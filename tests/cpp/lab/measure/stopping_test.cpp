// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/stopping.hpp"

#include "testing.hpp"

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

TEST_CASE("a case ends when it is precise or its time is spent, and not before it is believed") {
    using enum StopReason;
    struct Row {
        const char* because;
        double half_width;
        std::size_t samples;
        int rounds;
        double seconds;  ///< of 1
        StopReason expected;
        int uncounted = 0;
        std::int64_t clean = 1000;
    };
    const std::vector<Row> rows{
        {"narrower than asked", 0.009, 40, 4, 0.1, precise},
        {"wider than asked", 0.011, 40, 4, 0.1, go_on},
        {"not yet seen in four rounds", 0.001, 1000, 3, 0.1, go_on},
        {"nor by twenty samples", 0.001, 19, 4, 0.1, go_on},
        {"by twenty", 0.001, 20, 4, 0.1, precise},
        {"rounds count that were left to itself", 0.001, 40, 6, 0.9, precise},
        {"others do not", 0.001, 40, 6, 0.9, go_on, 3},
        {"and earn it no further time", 0.001, 40, 6, 1, max_time, 3, 0},
        {"as those that count do", 0.001, 40, 3, 1, go_on, 0, 0},
        {"time is left", 0.5, 10, 2, 0.99, go_on},
        {"time is spent", 0.5, 10, 2, 1, max_time},
        {"but it was seen once only", 0.5, 10, 1, 100, go_on},
        {"or never", 0.5, 0, 5, 100, go_on},
        {"all were disturbed: it may wait for clean ones", 0.5, 10, 8, 1, go_on, 0, 5},
        {"but not for ever", 0.5, 10, 8, 4, max_time, 0, 5},
        {"too long for its time: twice that", 0.5, 5, 3, 1.9, go_on},
        {"and no longer", 0.5, 5, 3, 2, max_time},
        {"nor where there are samples for an interval", 0.5, 6, 3, 1, max_time},
        {"precise when time is spent", 0.001, 40, 4, 2, precise},
    };
    const auto stopping = make_interval_stopping(0.02, 1);
    for (const auto& row : rows) {
        CAPTURE(std::string(row.because));
        for (const double scale : {1e-9, 1.0, 1e3}) {
            const auto samples = spread_about(scale, row.half_width * scale, row.samples);
            auto progress = after(samples, row.rounds, row.seconds);
            progress.uncounted = row.uncounted;
            progress.clean = std::min(progress.clean, row.clean);
            CHECK(stopping->judge(progress) == row.expected);
        }
    }
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

namespace {

__extension__ using Wide = unsigned __int128;

/// The largest k with P(Binomial(n, 1/2) < k) <= 1/40, in whole numbers; 1 where there is none. n
/// is at most 120: 40 * 2^120 still fits.
std::size_t place_by_counting(std::size_t n) {
    Wide choose = 1;
    Wide below = 0;
    std::size_t k = 0;
    while (40 * (below + choose) <= Wide{1} << n) {
        below += choose;
        ++k;
        choose = choose * (n - k + 1) / k;
    }
    return std::max<std::size_t>(k, 1);
}

std::vector<double> one_to(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

}  // namespace

TEST_CASE("the interval's places are those of the binomial law") {
    for (std::size_t n = 1; n <= 120; ++n) {
        CAPTURE(n);
        auto values = one_to(n);
        const auto interval = median_interval(values);
        const auto place = static_cast<double>(place_by_counting(n));
        REQUIRE(interval.low == place);
        REQUIRE(interval.high == static_cast<double>(n) + 1 - place);
        REQUIRE(interval.median == (static_cast<double>(n) + 1) / 2);
    }
}

TEST_CASE("the interval's places are known for many values too") {
    // scipy.stats.binom.ppf(0.025, n, 0.5)
    for (const auto& [n, place] : {std::pair<std::size_t, double>{200, 86},
                                   {1000, 469},
                                   {2000, 956},
                                   {10'000, 4902},
                                   {100'000, 49690}}) {
        auto values = one_to(n);
        const auto interval = median_interval(values);
        CHECK(interval.low == place);
        CHECK(interval.high == static_cast<double>(n) + 1 - place);
    }
}

TEST_CASE("below six values the interval is the range") {
    std::vector<double> values{5, 1, 4, 2, 3};
    const auto interval = median_interval(values);
    CHECK(interval.low == 1);
    CHECK(interval.median == 3);
    CHECK(interval.high == 5);
}

TEST_CASE("the order of the values does not matter") {
    std::mt19937_64 random(7);
    auto values = one_to(37);
    const auto expected = median_interval(values);
    for (int i = 0; i < 50; ++i) {
        std::ranges::shuffle(values, random);
        const auto interval = median_interval(values);
        CHECK(interval.low == expected.low);
        CHECK(interval.median == expected.median);
        CHECK(interval.high == expected.high);
        CHECK(std::ranges::is_sorted(values));
    }
}

TEST_CASE("the interval holds the true median 95 times in a hundred, or more") {
    std::mt19937_64 random(8);
    std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
    constexpr int trials = 4000;
    for (const std::size_t n : {6U, 20U, 64U}) {
        CAPTURE(n);
        int held = 0;
        for (int i = 0; i < trials; ++i) {
            std::vector<double> values(n);
            std::ranges::generate(values, [&] { return skewed(random); });
            const auto interval = median_interval(values);
            held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
        }
        // Three standard deviations of 4000 trials are 1 %.
        CHECK(held >= 0.94 * trials);
    }
}
