// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace transrank::lab::study::neighborhood {

/// A symmetric graph of ranks.
struct Topology {
    std::string_view name;
    std::vector<int> (*neighbors)(int rank, int ranks);  ///< in any order, also repeatedly
};

[[nodiscard]] std::span<const Topology> topologies();

/// The neighbors of `rank`, ascending, each once, itself left out. Throws std::invalid_argument
/// when there is no topology of this name.
[[nodiscard]] std::vector<int> neighbors(std::string_view topology, int rank, int ranks);

/// Of the rank that has most of them.
[[nodiscard]] int most_neighbors(std::string_view topology, int ranks);

}  // namespace transrank::lab::study::neighborhood
