// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/measure/case.hpp"
#include "transrank/measure/operation.hpp"
#include "transrank/measure/synchronisation.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::measure {

/// What a timing needs besides the operation.
struct TimingContext {
    Operation& operation;
    Synchronisation& synchronisation;
    const mpi::Communicator& comm;
};

/// Collective. Runs `repetitions` repetitions and returns this rank's seconds for all of them.
using Timing = double (*)(const TimingContext& context, std::int64_t repetitions);

double time_bulk(const TimingContext& context, std::int64_t repetitions);
double time_single(const TimingContext& context, std::int64_t repetitions);
double time_in_turn(const TimingContext& context, std::int64_t repetitions);

[[nodiscard]] Timing timing(TimingKind kind);

}  // namespace transrank::measure
