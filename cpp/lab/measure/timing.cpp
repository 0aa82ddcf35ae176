// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/timing.hpp"

#include "lab/machine/clock.hpp"

namespace transrank::lab::measure {
namespace {

// IMB's PingPong, Sendrecv, Exchange and Barrier, and OSU's bandwidth tests time so.
std::optional<double> time_bulk(const TimingContext& context, std::int64_t repetitions) {
    context.core.begin();
    const double begin = context.synchronisation.start();
    context.operation.run(repetitions);
    return machine::now() - begin;
}

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

// For operations without communication whose speed depends on what else is active: of every node
// one rank at a time. The others stand in the next start, so the operation must not synchronise by
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

// For operations of which only a part counts, such as the receives of messages that were sent
// untimed: from a common start on the operation reads the clock itself.
std::optional<double> time_own(const TimingContext& context, std::int64_t repetitions) {
    context.core.begin();
    (void)context.synchronisation.start();
    context.operation.run(repetitions);
    return context.operation.own_seconds();
}

}  // namespace

std::optional<double> time(TimingKind kind, const TimingContext& context,
                           std::int64_t repetitions) {
    switch (kind) {
        case TimingKind::bulk:
            return time_bulk(context, repetitions);
        case TimingKind::single:
            return time_single(context, repetitions);
        case TimingKind::in_turn:
            return time_in_turn(context, repetitions);
        case TimingKind::own:
            return time_own(context, repetitions);
    }
    return std::nullopt;
}

}  // namespace transrank::lab::measure
