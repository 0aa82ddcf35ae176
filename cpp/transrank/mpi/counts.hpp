// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>

namespace transrank::mpi {

#if MPI_VERSION >= 4
/// The type of element counts: 64 bits from MPI 4 on, by the functions whose names end in _c.
using Count = MPI_Count;
/// The type of displacements in a buffer, in elements.
using Displacement = MPI_Aint;
#else
using Count = int;
using Displacement = int;
#endif

/// The most elements that one call can name.
inline constexpr std::int64_t largest_count = std::numeric_limits<Count>::max();

}  // namespace transrank::mpi
