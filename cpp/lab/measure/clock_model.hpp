// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

/// This process's clock against the global one, the clock of rank 0:
/// global = local + offset + drift * (local - reference).
struct ClockModel {
    double reference = 0;
    double offset = 0;
    double drift = 0;

    [[nodiscard]] double global(double local) const {
        return local + offset + (drift * (local - reference));
    }
    [[nodiscard]] double local(double global) const {
        return reference + ((global - offset - reference) / (1 + drift));
    }
};

struct ClockFit {
    ClockModel model;  ///< this rank's
    /// How far any node's clock was from rank 0's, at most, just after the fit; same everywhere.
    double accuracy_seconds = 0;
    std::vector<double> offsets;  ///< per node, on the first rank of each
    std::vector<double> drifts;   ///< likewise

    /// Writes the `synchronisation` member of a launch line.
    void describe(text::JsonWriter& json) const;
};

using Clock = std::function<double()>;

/// Collective. Fits the clock of every node to that of rank 0's node; ranks of one node share one.
[[nodiscard]] ClockFit synchronise_clocks(const mpi::Communicator& comm, const Clock& clock);

/// Collective. How far any node's clock is from rank 0's now, at most, by the models of some time
/// ago: a tenth of a second for each doubling of the nodes. The same on all ranks.
[[nodiscard]] double check_clocks(const mpi::Communicator& comm, const ClockModel& model,
                                  const Clock& clock);

/// Collective. Fits the clock of every rank of `leaders`, one per node, to that of rank 0 in
/// log2(nodes) steps of half a second: in each step the nodes that know the global time teach as
/// many others. Per pair, offsets are taken from the fastest of several ping-pongs at many moments,
/// and offset and drift come from a least-squares line through them (Hunold & Carpen-Amarie,
/// "Hierarchical clock synchronization in MPI", CLUSTER 2018). accuracy_seconds is this rank's own:
/// the largest disagreement with its teacher, who may be as wrong again as it says itself.
[[nodiscard]] ClockFit synchronise_node_clocks(const mpi::Communicator& leaders,
                                               const Clock& clock);

/// Collective. check_clocks among one rank per node; this rank's own.
[[nodiscard]] double check_node_clocks(const mpi::Communicator& leaders, const ClockModel& model,
                                       const Clock& clock);

}  // namespace transrank::lab::measure
