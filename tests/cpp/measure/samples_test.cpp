// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/samples.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace transrank::measure;

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

TEST_CASE("only samples without any flag are clean") {
    const auto samples = flagged({warm_up, 0, lost_core, 0, clock_gap, 0, late_start, 0,
                                  lost_core | clock_gap, 0, warm_up | late_start, 0});
    CHECK(samples.clean() == std::vector<double>{1, 3, 5, 7, 9, 11});
}

TEST_CASE("when hardly any sample is clean, all but the warm-up count") {
    const auto samples = flagged({warm_up, 0, lost_core, 0, 0, 0, 0, warm_up | lost_core});
    CHECK(samples.clean() == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(flagged({warm_up, warm_up}).clean().empty());
}
