// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace transrank::mpi {

/// The text of MPI_Get_library_version, which may be called before MPI_Init: several lines of it,
/// with tabs, in MPICH.
[[nodiscard]] std::string library_version();

/// Which implementation's names of algorithms and control variables this library has: "mpich",
/// also for Intel MPI, MVAPICH and Cray MPICH, which derive from it, "openmpi" or "other". Asked at
/// run time: programs compiled for the standard's ABI, or for MPICH's, run with several libraries.
[[nodiscard]] std::string_view library_kind();

}  // namespace transrank::mpi
