// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/clock.hpp"
#include "lab/measure/synchronisation.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

class Barrier final : public Synchronisation {
public:
    explicit Barrier(const mpi::Communicator& comm) : comm_(comm) {}

    double start() override {
        mpi::check(MPI_Barrier(comm_.handle()), "MPI_Barrier");
        return machine::now();
    }

private:
    const mpi::Communicator& comm_;
};

}  // namespace

std::unique_ptr<Synchronisation> make_barrier(const mpi::Communicator& comm) {
    return std::make_unique<Barrier>(comm);
}

}  // namespace transrank::lab::measure
