// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "transrank/measure/case.hpp"
#include "transrank/measure/core_watch.hpp"
#include "transrank/measure/operation.hpp"
#include "transrank/measure/synchronisation.hpp"
#include "transrank/measure/turns.hpp"

namespace transrank::measure {

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

}  // namespace transrank::measure
