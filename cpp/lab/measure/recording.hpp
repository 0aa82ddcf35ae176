// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lab/measure/samples.hpp"
#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// Which of a case's samples its line holds.
enum class RecordingKind : std::uint8_t {
    slowest,  ///< per sample the maximum over ranks; of ranks median, minimum and mean
    ranks,    ///< every rank's samples as well
};

/// A line with more ranks than these has how they spread instead of each: lists take 93 bytes per
/// rank.
inline constexpr int most_listed_ranks = 256;

struct Recording {
    RecordingKind kind = RecordingKind::slowest;
    /// Not of kind `ranks`, which lists all of them.
    int most_listed = most_listed_ranks;
};

/// Collective. Writes the `ranks` member of a case line, or `over_ranks` where they are too many,
/// on rank 0; other ranks only contribute. In lists null stands for a rank that has no part in the
/// case.
void record_ranks(const Recording& recording, const Samples& own, const mpi::Communicator& comm,
                  text::JsonWriter& json);

}  // namespace transrank::lab::measure
