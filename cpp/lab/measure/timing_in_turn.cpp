// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"
#include "lab/measure/timing.hpp"

namespace transrank::lab::measure {

// For operations without communication whose speed depends on who else is active: of every node one
// rank at a time. The others stand in the next start, so the operation must not synchronise by
// itself; after the last turn they wait once more, before any of them fills or verifies.
std::optional<double> time_in_turn(const TimingContext& context, std::int64_t repetitions) {
    context.core.begin();
    std::optional<double> seconds;
    for (int turn = 0; turn < context.turns.count; ++turn) {
        const double begin = context.synchronisation.start();
        if (turn == context.turns.own) {
            context.operation.run(repetitions);
            seconds = machine::now() - begin;
        }
    }
    (void)context.synchronisation.start();
    return seconds;
}

}  // namespace transrank::lab::measure
