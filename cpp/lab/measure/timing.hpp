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
/// where it only waited. Begins to watch the core where the timed part begins.
[[nodiscard]] std::optional<double> time(TimingKind kind, const TimingContext& context,
                                         std::int64_t repetitions);

}  // namespace transrank::lab::measure
