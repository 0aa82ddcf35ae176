// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "lab/measure/case.hpp"
#include "lab/text/json.hpp"
#include "options.hpp"

namespace transrank::lab::runner {

/// The table of studies as one JSON array.
[[nodiscard]] std::string list_studies();

/// The cases that the options select for `ranks` ranks, study by study. Throws UsageError.
[[nodiscard]] std::vector<std::vector<measure::Case>> selected_cases(const Options& options,
                                                                     int ranks);

/// The selected cases as JSON lines.
[[nodiscard]] std::string list_cases(const Options& options);

/// Writes the members `study`, `case` and `axes`.
void write_identity(const measure::Case& point, text::JsonWriter& json);

}  // namespace transrank::lab::runner
