// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/samples.hpp"

namespace transrank::measure {
namespace {

// Fewer clean samples than this say nothing: then the disturbed ones count too.
constexpr std::size_t least_clean = 6;

std::vector<double> without(const ReducedSamples& samples, unsigned mask) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < samples.slowest.size(); ++i) {
        if ((samples.flags[i] & mask) == 0) {
            kept.push_back(samples.slowest[i]);
        }
    }
    return kept;
}

}  // namespace

std::vector<double> ReducedSamples::clean() const {
    auto kept = without(*this, warm_up | lost_core | clock_gap | late_start);
    return kept.size() < least_clean ? without(*this, warm_up) : kept;
}

}  // namespace transrank::measure
