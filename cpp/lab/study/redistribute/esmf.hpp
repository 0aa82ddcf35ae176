// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// Combinations of the options of ESMF's route handles (`async-per-peer-together`): the `usual`
/// ones differ in one option at most from what ESMF does by default, the others in more.
[[nodiscard]] std::vector<std::string> esmf_ways(bool usual);
[[nodiscard]] bool is_esmf_way(std::string_view name);

/// Throws mpi::AgreedError, when it stores, for a message of more bytes than MPI counts in int.
[[nodiscard]] Store esmf_store(std::string_view way);

}  // namespace transrank::lab::study::redistribute
