// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "transrank/mpi/communicator.hpp"
#include "transrank/text/json.hpp"

namespace transrank::measure {

enum class SynchronisationKind : std::uint8_t {
    barrier,  ///< MPI_Barrier; each rank's clock starts when it leaves
    clock,    ///< an agreed time on clocks synchronised across nodes
};
[[nodiscard]] std::string_view name(SynchronisationKind kind);

/// Brings the ranks of a communicator to a common start.
class Synchronisation {
public:
    Synchronisation() = default;
    Synchronisation(const Synchronisation&) = delete;
    Synchronisation& operator=(const Synchronisation&) = delete;
    virtual ~Synchronisation() = default;

    /// Collective. Returns this rank's clock reading (machine::now) from which its time counts.
    virtual double start() = 0;

    /// By how many seconds this rank missed the last agreed start; 0 where there is none to miss.
    [[nodiscard]] virtual double lateness() const { return 0; }

    /// Writes the `synchronisation` member of a launch line.
    virtual void describe(text::JsonWriter& json) const = 0;
};

[[nodiscard]] std::unique_ptr<Synchronisation> make_barrier(const mpi::Communicator& comm);

/// Collective. Measures offset and drift of the nodes' clocks first; see clock_model.hpp.
[[nodiscard]] std::unique_ptr<Synchronisation> make_clock(const mpi::Communicator& comm);

/// Collective.
[[nodiscard]] std::unique_ptr<Synchronisation> make_synchronisation(SynchronisationKind kind,
                                                                    const mpi::Communicator& comm);

}  // namespace transrank::measure
