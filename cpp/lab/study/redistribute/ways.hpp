// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// The axis `way`: the library's choice, its transports one by one, shared-direct with one kind of
/// stores; ESMF's options; what a program can do with MPI alone; and copies.
[[nodiscard]] AxisChoice way_axis();

/// Whether there is such a case at all: not all baselines take lists of cells, and only of some the
/// making is timed as well.
[[nodiscard]] bool exists(const Layouts& layouts, const std::string& phase, std::string_view way);

/// Whether its fields must be able to lie where node-mates can map them.
[[nodiscard]] bool is_shared(std::string_view way);

/// Collective.
[[nodiscard]] std::unique_ptr<Bundle> make_bundle(const measure::Case& point,
                                                  const Setting& setting, const Arrays& arrays);

}  // namespace transrank::lab::study::redistribute
