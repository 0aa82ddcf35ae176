// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transrank/schedule/algorithm.hpp"

// Every algorithm's row is made in its own file; algorithm.cpp lists them.
namespace transrank::schedule {

Algorithm linear();
Algorithm linear_bounded();
Algorithm pairwise();
Algorithm double_spread();
Algorithm two_process();
Algorithm bruck();
Algorithm recursive_doubling();
Algorithm node_leader();
Algorithm node_leaders();
Algorithm torus_3d();
Algorithm torus_6d();

}  // namespace transrank::schedule
