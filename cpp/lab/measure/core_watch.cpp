// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/core_watch.hpp"

#include "lab/machine/process.hpp"

namespace transrank::lab::measure {
namespace {

constexpr double share_that_shows = 0.01;

}  // namespace

void CoreWatch::begin() {
    switches_ = machine::involuntary_switches();
    waited_ = machine::nanoseconds_without_core();
}

bool CoreWatch::lost_in(double seconds) const {
    if (machine::involuntary_switches() == switches_) {
        return false;
    }
    const auto waited = machine::nanoseconds_without_core();
    return waited_ < 0 || waited < 0 ||
           static_cast<double>(waited - waited_) * 1e-9 > share_that_shows * seconds;
}

}  // namespace transrank::lab::measure
