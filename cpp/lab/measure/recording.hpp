// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lab/measure/samples.hpp"
#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// Which of a case's samples its line holds.
enum class RecordingKind : std::uint8_t {
    slowest,  ///< per sample the maximum over ranks; per rank median, minimum and mean
    ranks,    ///< every rank's samples as well
};

/// Collective. Writes the `ranks` member of a case line on rank 0; other ranks only contribute. In
/// its lists null stands for a rank that has no part in the case.
void record_ranks(RecordingKind kind, const Samples& own, const mpi::Communicator& comm,
                  text::JsonWriter& json);

}  // namespace transrank::lab::measure
