// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/measure/synchronisation.hpp"
namespace transrank::measure {
std::unique_ptr<Synchronisation> make_clock(const mpi::Communicator& comm) { return make_barrier(comm); }
}
