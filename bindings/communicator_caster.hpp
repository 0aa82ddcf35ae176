// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <nanobind/nanobind.h>

#include <cstdint>

#include "transrank/mpi/error.hpp"

/// An argument that must be an mpi4py communicator. A type of our own, because MPI_Comm is a plain
/// int under some MPIs.
namespace transrank::bindings {

/// What `work` returns, which other threads of Python's may run beside.
template <class Work>
auto released(const Work& work) {
    const nanobind::gil_scoped_release guard;
    return work();
}

struct CommunicatorArgument {
    MPI_Comm handle = MPI_COMM_NULL;

    [[nodiscard]] int rank() const {
        int rank = -1;
        mpi::check(MPI_Comm_rank(handle, &rank), "MPI_Comm_rank");
        return rank;
    }
};

}  // namespace transrank::bindings

namespace nanobind::detail {

/// Reads the handle through mpi4py.MPI's Python interface: its C headers would tie the build to one
/// mpi4py. Whoever calls has imported mpi4py.MPI, since nothing else makes a communicator.
template <>
struct type_caster<transrank::bindings::CommunicatorArgument> {
    NB_TYPE_CASTER(transrank::bindings::CommunicatorArgument, const_name("mpi4py.MPI.Comm"))

    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
        try {
            const module_ mpi = module_::import_("mpi4py.MPI");
            if (!isinstance(source, mpi.attr("Comm")) ||
                cast<std::size_t>(mpi.attr("_sizeof")(source)) != sizeof(MPI_Comm)) {
                return false;
            }
            const auto address = cast<std::uintptr_t>(mpi.attr("_addressof")(source));
            // mpi4py documents this as the address of the communicator's MPI_Comm.
            value.handle = *reinterpret_cast<const MPI_Comm*>(address);
            return true;
        } catch (...) {
            PyErr_Clear();
            return false;
        }
    }
};

}  // namespace nanobind::detail
