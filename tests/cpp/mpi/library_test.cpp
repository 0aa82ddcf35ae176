// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "transrank/mpi/library.hpp"

#include <doctest/doctest.h>
#include <mpi.h>

using namespace transrank;

TEST_CASE("the MPI library is recognised by what it says of itself") {
#if defined(OPEN_MPI)
    CHECK(mpi::library_kind() == "openmpi");
#elif defined(MPICH_VERSION)
    CHECK(mpi::library_kind() == "mpich");
#else
    CHECK(!mpi::library_version().empty());
#endif
}
