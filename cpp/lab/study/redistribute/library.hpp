// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// The library's ways: `auto`, the names of transports, shared-direct with one kind of stores.
[[nodiscard]] std::vector<std::string> library_ways();

/// Collective.
[[nodiscard]] std::unique_ptr<Bundle> make_library(const measure::Case& point,
                                                   const Setting& setting, const Arrays& arrays);

}  // namespace transrank::lab::study::redistribute
