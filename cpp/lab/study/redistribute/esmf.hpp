// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// Combinations of the options of ESMF's route handles (`async-per-peer-together`) that differ in
/// one option at most from what ESMF does by default, and those that are left out unless asked for.
[[nodiscard]] std::vector<std::string> esmf_ways();
[[nodiscard]] std::vector<std::string> further_esmf_ways();
[[nodiscard]] bool is_esmf_way(std::string_view name);

/// Collective. Throws mpi::AgreedError when a message has more bytes than MPI counts in int.
[[nodiscard]] std::unique_ptr<Bundle> make_esmf(const measure::Case& point, const Setting& setting,
                                                const Arrays& arrays);

}  // namespace transrank::lab::study::redistribute
