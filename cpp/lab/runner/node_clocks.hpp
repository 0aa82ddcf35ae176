// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/measure/clock_model.hpp"
#include "lab/text/json.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::runner {

/// The clocks of the nodes of a launch, kept together as long as it runs: fitted at the beginning
/// and again when the fit has become old, checked before each new fit and at the end.
class NodeClocks {
public:
    /// Collective. The reference is kept.
    explicit NodeClocks(const mpi::Communicator& world);

    /// This rank's; refresh() changes it.
    [[nodiscard]] const measure::ClockModel& model() const noexcept { return fit_.model; }

    /// Collective. Fits anew when the last fit is old.
    void refresh();

    /// Collective. Checks once more, and returns how far any clock was from rank 0's at any check.
    [[nodiscard]] double worst_error_seconds();

    /// Writes the `synchronisation` member of a launch line.
    void describe(text::JsonWriter& json) const { fit_.describe(json); }

private:
    void check();

    const mpi::Communicator& world_;
    measure::ClockFit fit_;
    double fitted_;
    double worst_error_seconds_;
};

}  // namespace transrank::lab::runner
