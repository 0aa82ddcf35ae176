// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/redistribution/options.hpp"
#include "transrank/study/redistribute/bundle.hpp"

namespace transrank::study::redistribute {

/// The library's ways: `auto`, the names of transports, shared-direct with one kind of stores, and
/// combinations of ESMF's options (`async-per-peer-together`).
[[nodiscard]] std::vector<std::string> library_ways();
/// Combinations that are left out unless asked for.
[[nodiscard]] std::vector<std::string> further_library_ways();

/// None when it is no way of the library's.
[[nodiscard]] std::optional<redistribution::Options> options_of(std::string_view way);

/// Collective. Runs a redistribution that was stored before.
[[nodiscard]] std::unique_ptr<Bundle> make_run(const measure::Case& point, const Setting& setting,
                                               const Arrays& arrays);

/// Collective. Stores one anew each time: makes the route and binds it.
[[nodiscard]] std::unique_ptr<Bundle> make_store(const measure::Case& point, const Setting& setting,
                                                 const Arrays& arrays);

}  // namespace transrank::study::redistribute
