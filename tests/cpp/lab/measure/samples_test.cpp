// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/samples.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace transrank::lab::measure;

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
