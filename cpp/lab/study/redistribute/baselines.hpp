// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// What the library is held against: what a program can do with MPI alone, and copies.
[[nodiscard]] std::vector<std::string> baseline_ways();
/// Those that are left out unless asked for.
[[nodiscard]] std::vector<std::string> further_baseline_ways();

/// Whether it can go from lists of cells, and to them.
[[nodiscard]] bool takes_lists(std::string_view way);
/// Whether its making is timed as well, in the phase `store`.
[[nodiscard]] bool is_stored(std::string_view way);

/// Collective.
[[nodiscard]] std::unique_ptr<Bundle> make_baseline(const measure::Case& point,
                                                    const Setting& setting, const Arrays& arrays);

}  // namespace transrank::lab::study::redistribute
