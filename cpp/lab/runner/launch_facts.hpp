// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "lab/machine/clock.hpp"
#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::runner {

/// Collective. Writes the members `mpi`, `placement` and `clock` of a launch line on rank 0.
void write_launch_facts(const mpi::Communicator& world, const machine::ClockQuality& clock,
                        text::JsonWriter& json);

/// The MPI library's own name and version, its first line.
[[nodiscard]] std::string library_version();

}  // namespace transrank::lab::runner
