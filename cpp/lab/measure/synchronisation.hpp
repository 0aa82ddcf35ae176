// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "lab/measure/clock_model.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::measure {

enum class SynchronisationKind : std::uint8_t {
    barrier,  ///< MPI_Barrier; each rank's clock starts when it leaves
    clock,    ///< an agreed time on clocks synchronised across nodes
};

/// Brings the ranks of a communicator to a common start.
class Synchronisation {
public:
    Synchronisation() = default;
    Synchronisation(const Synchronisation&) = delete;
    Synchronisation& operator=(const Synchronisation&) = delete;
    virtual ~Synchronisation() = default;

    /// Collective. Returns this rank's clock reading (machine::now) from which its time counts. No
    /// rank returns before all have called.
    virtual double start() = 0;

    /// By how many seconds this rank missed an agreed start, at worst, since it was asked last; 0
    /// where there is none to miss.
    [[nodiscard]] virtual double take_lateness() { return 0; }
};

[[nodiscard]] std::unique_ptr<Synchronisation> make_barrier(const mpi::Communicator& comm);

/// Collective. `model`: this rank's clock; see synchronise_clocks.
[[nodiscard]] std::unique_ptr<Synchronisation> make_agreed_time(const mpi::Communicator& comm,
                                                                const ClockModel& model);

}  // namespace transrank::lab::measure
