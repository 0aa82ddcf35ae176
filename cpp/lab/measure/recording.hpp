// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/measure/samples.hpp"
#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// What of a case's samples goes into its line.
enum class RecordingKind : std::uint8_t {
    slowest,  ///< per sample the maximum over ranks; per rank median, minimum and mean
    ranks,    ///< every rank's samples as well
};

/// Collective. Writes the `ranks` member of a case line on rank 0; other ranks only contribute.
using Recording = void (*)(const Samples& own, const mpi::Communicator& comm,
                           text::JsonWriter& json);

void record_slowest(const Samples& own, const mpi::Communicator& comm, text::JsonWriter& json);
void record_ranks(const Samples& own, const mpi::Communicator& comm, text::JsonWriter& json);

/// Collective. The per-rank lists that every recording has, on rank 0; null stands for a rank that
/// has no part in the case.
void write_rank_summaries(const Samples& own, const mpi::Communicator& comm,
                          text::JsonWriter& json);

}  // namespace transrank::lab::measure
