// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core_bounds.hpp"
#include "lab/measure/recording.hpp"
#include "lab/measure/synchronisation.hpp"
#include "lab/measure/workspace.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::runner {

/// A command line that makes no sense. what() is for the user.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class Action : std::uint8_t {
    measure,
    help,
    version,
    list,
    list_cases,
    list_settings,
    plan,
    probe,
    stamp
};

struct Options {
    Action action = Action::measure;
    std::vector<std::string> studies;
    study::Selection selection;
    std::string only_file;
    std::string record_path;
    std::string plan;
    int launch = 0;
    int ranks = 2;
    int ranks_per_node = 0;
    std::uint64_t seed = 1;
    double precision = 0.02;
    double max_seconds = 1;
    std::optional<std::int64_t> count;
    CoreBounds cores;
    measure::CacheMode cache = measure::CacheMode::warm;
    std::int64_t buffer_offset = 0;  ///< bytes past a page boundary
    measure::SynchronisationKind synchronisation = measure::SynchronisationKind::barrier;
    measure::Recording recording;
    std::int64_t memory_bytes = std::int64_t{1} << 30;
    double watchdog_seconds = 0;
    bool stamp_initialises = false;
    std::vector<std::string> command;
};

/// Throws UsageError.
[[nodiscard]] Options parse_options(int argc, char** argv);

[[nodiscard]] std::string help_text();

}  // namespace transrank::lab::runner
