// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "communicator_caster.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/library.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace nb = nanobind;

namespace transrank::bindings {
namespace {

int size(CommunicatorArgument communicator) {
    int ranks = 0;
    mpi::check(MPI_Comm_size(communicator.handle, &ranks), "MPI_Comm_size");
    return ranks;
}

}  // namespace

void bind_mpi(nb::module_& module) {
    module.def("library_version", &mpi::library_version,
               "The version text of the MPI library that this module is linked with.");
    module.def("communicator_size", &size, nb::arg("communicator"),
               "Number of ranks of an mpi4py communicator, as this module's MPI sees it.");
    module.def("begin_to_use", &mpi::begin_to_use,
               "Raises Misuse where MPI cannot be used: finalized, or in a child of fork.");
}

}  // namespace transrank::bindings
