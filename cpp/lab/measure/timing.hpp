// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "lab/measure/case.hpp"
#include "lab/measure/core_watch.hpp"
#include "lab/measure/operation.hpp"
#include "lab/measure/synchronisation.hpp"
#include "lab/measure/turns.hpp"

namespace transrank::lab::measure {

/// What a timing needs besides the operation.
struct TimingContext {
    Operation& operation;
    Synchronisation& synchronisation;
    const Turns& turns;
    CoreWatch& core;
};

/// Collective. Runs `repetitions` repetitions and returns this rank's seconds for all of them; none
/// where it did nothing but wait. Begins to watch the core where what is timed begins.
using Timing = std::optional<double> (*)(const TimingContext& context, std::int64_t repetitions);

std::optional<double> time_bulk(const TimingContext& context, std::int64_t repetitions);
std::optional<double> time_single(const TimingContext& context, std::int64_t repetitions);
std::optional<double> time_in_turn(const TimingContext& context, std::int64_t repetitions);
std::optional<double> time_own(const TimingContext& context, std::int64_t repetitions);

[[nodiscard]] Timing timing(TimingKind kind);

}  // namespace transrank::lab::measure
