// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"
#include "lab/measure/timing.hpp"

namespace transrank::lab::measure {

// IMB's and OSU's collectives time so: the common start before each call is not timed.
std::optional<double> time_single(const TimingContext& context, std::int64_t repetitions) {
    double seconds = 0;
    for (std::int64_t i = 0; i < repetitions; ++i) {
        context.operation.prepare();
        if (i == 0) {
            context.core.begin();  // what a long preparation lost does not count
        }
        const double begin = context.synchronisation.start();
        context.operation.run(1);
        seconds += machine::now() - begin;
    }
    return seconds;
}

}  // namespace transrank::lab::measure
