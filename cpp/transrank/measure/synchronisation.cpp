// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/synchronisation.hpp"

namespace transrank::measure {

std::string_view name(SynchronisationKind kind) {
    return kind == SynchronisationKind::barrier ? "barrier" : "clock";
}

std::unique_ptr<Synchronisation> make_synchronisation(SynchronisationKind kind,
                                                      const mpi::Communicator& comm) {
    return kind == SynchronisationKind::barrier ? make_barrier(comm) : make_clock(comm);
}

}  // namespace transrank::measure
