// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"
#include "lab/measure/timing.hpp"

namespace transrank::lab::measure {

// IMB's PingPong, Sendrecv, Exchange and Barrier, and OSU's bandwidth tests time so.
std::optional<double> time_bulk(const TimingContext& context, std::int64_t repetitions) {
    context.core.begin();
    const double begin = context.synchronisation.start();
    context.operation.run(repetitions);
    return machine::now() - begin;
}

}  // namespace transrank::lab::measure
