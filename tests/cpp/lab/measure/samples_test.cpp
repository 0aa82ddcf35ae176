// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/samples.hpp"

#include "lab/measure/spread.hpp"
#include "testing.hpp"

using namespace transrank::lab;
using namespace transrank::lab::measure;
using measure::Spread;

namespace {

ReducedSamples flagged(const std::vector<std::uint8_t>& flags) {
    ReducedSamples samples;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        samples.slowest.push_back(static_cast<double>(i));
        samples.flags.push_back(flags[i]);
    }
    return samples;
}

}  // namespace

TEST_CASE("samples of rounds that do not count are marked as such, and are not clean") {
    ReducedSamples samples;
    samples.slowest.assign(18, 1.0);
    samples.flags.assign(18, 0);
    samples.flags[0] = warm_up;
    samples.flags[3] = lost_core;
    samples.rounds = {1, 2, 15};
    samples.counts = {true, false, true};
    const auto marked = samples.flags_of_counting();
    CHECK(marked[0] == warm_up);
    CHECK(marked[1] == other_cores);
    CHECK(marked[2] == other_cores);
    CHECK(marked[3] == lost_core);
    CHECK(marked[4] == 0);
    CHECK(samples.clean().size() == 14);
}

TEST_CASE("only samples without any flag are clean") {
    const auto samples = flagged({warm_up, 0, lost_core, 0, stolen, 0, late_start, 0,
                                  lost_core | stolen, 0, warm_up | late_start, 0});
    CHECK(samples.clean() == std::vector<double>{1, 3, 5, 7, 9, 11});
}

TEST_CASE("when hardly any sample is clean, all but the warm-up count") {
    const auto samples = flagged({warm_up, 0, lost_core, 0, 0, 0, 0, warm_up | lost_core});
    CHECK(samples.clean() == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(flagged({warm_up, warm_up}).clean().empty());
}

TEST_CASE("a value rests on clean samples however few, else on those after warm-up") {
    const auto counted = [](const std::vector<std::uint8_t>& flags) {
        const auto samples = flagged(flags);
        return counted_values(samples.slowest, samples.flags);
    };
    CHECK(counted({warm_up, lost_core, 0, stolen, late_start, warm_up}) == std::vector<double>{2});
    CHECK(counted({warm_up, lost_core, stolen}) == std::vector<double>{1, 2});
    CHECK(counted({warm_up, warm_up | lost_core}) == std::vector<double>{0, 1});
    CHECK(counted({}).empty());
}

TEST_CASE("after warm-up means any flag but that") {
    const auto samples = flagged({warm_up, 0, lost_core, warm_up | stolen, late_start});
    CHECK(values_after_warm_up(samples.slowest, samples.flags) == std::vector<double>{1, 2, 4});
}

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// By counting, value by value.
int place_among(double value, const std::vector<double>& values) {
    return static_cast<int>(
        std::ranges::count_if(values, [&](double other) { return other < value; }));
}

// A few different times, so that many are equal; some ranks have no part.
std::vector<double> random_times(std::mt19937_64& random) {
    std::vector<double> times(1 + random() % 40);
    for (auto& seconds : times) {
        seconds = random() % 5 == 0 ? none : static_cast<double>(random() % 12);
    }
    times[random() % times.size()] = 7;
    return times;
}

}  // namespace

TEST_CASE("a spread is of the ranks that have a part, whatever their order") {
    std::mt19937_64 random(18);
    for (int trial = 0; trial < 300; ++trial) {
        const auto times = random_times(random);
        std::vector<double> known;
        std::ranges::copy_if(times, std::back_inserter(known),
                             [](double one) { return !std::isnan(one); });
        const auto spread = measure::spread_of(times);
        CHECK(spread.count == known.size());
        CHECK((spread.first == times[0] || (std::isnan(spread.first) && std::isnan(times[0]))));
        CHECK(spread.quantiles.front() == *std::ranges::min_element(known));
        CHECK(spread.quantiles.back() == *std::ranges::max_element(known));
        CHECK(std::ranges::is_sorted(spread.quantiles));
        CHECK(spread.mean >= spread.quantiles.front());
        CHECK(spread.mean <= spread.quantiles.back());
        for (std::size_t i = 0; i < spread.quantiles.size(); ++i) {
            const double place = Spread::probabilities[i] * static_cast<double>(known.size() - 1);
            CHECK(place_among(spread.quantiles[i], known) <= std::ceil(place));
        }
    }
}

TEST_CASE("extremes name the ranks that are fastest and slowest, of equal ones the lowest") {
    std::mt19937_64 random(19);
    for (int trial = 0; trial < 300; ++trial) {
        const auto times = random_times(random);
        const auto spread = measure::spread_of(times);
        for (const auto* extremes : {&spread.fastest, &spread.slowest}) {
            const double sign = extremes == &spread.slowest ? -1 : 1;
            REQUIRE(extremes->size() == std::min(spread.count, Spread::most_extremes));
            for (std::size_t i = 0; i < extremes->size(); ++i) {
                const auto [rank, seconds] = (*extremes)[i];
                CHECK(times[static_cast<std::size_t>(rank)] == seconds);
                std::size_t before = 0;
                for (std::size_t other = 0; other < times.size(); ++other) {
                    before += sign * times[other] < sign * seconds ||
                              (times[other] == seconds && static_cast<int>(other) < rank);
                }
                CHECK(before == i);
            }
        }
    }
}

TEST_CASE("quantiles between two times are interpolated") {
    const auto spread = measure::spread_of(std::vector<double>{none, 4, 2, none, 1, 3});
    CHECK(spread.mean == 2.5);
    CHECK(spread.quantiles[3] == 1.75);
    CHECK(spread.quantiles[4] == 2.5);
    CHECK(spread.quantiles[7] == doctest::Approx(3.97));
}

TEST_CASE("a rank that has no part is first as null") {
    text::JsonWriter json;
    measure::spread_of(std::vector<double>{none, 2}).describe(json);
    CHECK(json.text() ==
          R"({"count":1,"first":null,"mean":2,"quantiles":[2,2,2,2,2,2,2,2,2],)"
          R"("fastest":{"ranks":[1],"seconds":[2]},"slowest":{"ranks":[1],"seconds":[2]}})");
}

TEST_CASE("times of no rank at all are null") {
    const auto spread = measure::spread_of(std::vector<double>{none, none});
    CHECK(spread.count == 0);
    CHECK(std::isnan(spread.quantiles[4]));
    CHECK(spread.slowest.empty());
}
