// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/study/collectives/collective.hpp"

// Every operation's row is made in its own file; collective.cpp lists them.
namespace transrank::lab::study::collectives {

Collective allreduce();
Collective reduce();
Collective allgather();
Collective allgatherv();
Collective gather();
Collective gatherv();
Collective scatter();
Collective scatterv();
Collective alltoall();
Collective alltoallv();
Collective bcast();
Collective barrier();

}  // namespace transrank::lab::study::collectives
