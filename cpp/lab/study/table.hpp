// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/study/study.hpp"

// Every study's row is made in its own file; study.cpp lists them.
namespace transrank::lab::study {

Study pingpong();
Study pingping();
Study sendrecv();
Study exchange();
Study bandwidth();
Study bidirectional_bandwidth();
Study message_rate();
Study send_modes();
Study memory_copy();
Study collectives();
Study alltoall_algorithms();
Study ghost();
Study contention();
Study locality();
Study advection();
Study advection_solution();
Study plan_scaling();
namespace redistribute {
Study study();
}

}  // namespace transrank::lab::study
