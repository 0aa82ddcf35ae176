// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::neighborhood {

/// A way to exchange blocks with neighbors.
struct Way {
    std::string_view name;
    /// One of MPI's neighborhood collectives.
    bool by_collective = false;
    /// A rank sends the same block to all.
    bool gathers = false;
    /// Between arrays that ranks of a node share, not those of the workspace.
    bool shares_arrays = false;
    std::span<const std::string_view> forms;

    [[nodiscard]] bool has(std::string_view form) const;
    /// Why this MPI cannot; empty when it can.
    [[nodiscard]] std::string reason_against(std::string_view form) const;
};

[[nodiscard]] std::span<const Way> ways();

/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] const Way& find_way(std::string_view name);

/// Collective. A case of the study `neighborhood` made ready to run.
[[nodiscard]] std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                                 const Setting& setting);

}  // namespace transrank::lab::study::neighborhood
