// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "lab/measure/stopping.hpp"

using namespace transrank::lab::measure;

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
