// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/machine/clock.hpp"
#include "transrank/measure/timing.hpp"

namespace transrank::measure {

// For operations without communication whose speed depends on who else is active. The waiting ranks
// stand in the next start, so the operation must not synchronise by itself.
double time_in_turn(const TimingContext& context, std::int64_t repetitions) {
    double seconds = 0;
    for (int rank = 0; rank < context.comm.size(); ++rank) {
        const double begin = context.synchronisation.start();
        if (rank == context.comm.rank()) {
            context.operation.run(repetitions);
            seconds = machine::now() - begin;
        }
    }
    return seconds;
}

}  // namespace transrank::measure
