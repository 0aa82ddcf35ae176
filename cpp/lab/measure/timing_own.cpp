// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/timing.hpp"

namespace transrank::lab::measure {

// For operations of which only a part counts, such as the receives of messages that were sent
// untimed: from a common start on the operation reads the clock itself.
std::optional<double> time_own(const TimingContext& context, std::int64_t repetitions) {
    context.core.begin();
    (void)context.synchronisation.start();
    context.operation.run(repetitions);
    return context.operation.own_seconds();
}

}  // namespace transrank::lab::measure
