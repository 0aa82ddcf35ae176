// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transrank/layout/distribution.hpp"
#include "transrank/route/transfers.hpp"

namespace transrank::route {

/// The runs of a rank's list that the parts of `directory` look after, cut at their ends: for each
/// part that has any, ascending, its runs in the order of the list. Throws std::invalid_argument
/// naming the rank, the position and the index when an index is not in [0, extent).
[[nodiscard]] std::vector<std::pair<int, std::vector<ListRun>>> runs_by_directory(
    int rank, std::span<const std::int64_t> indices, const layout::Distribution& directory);

/// What moves between lists, as far as a part of the directory knows: each destination entry gets
/// the source entry of equal index. An index may be wanted more than once. Throws
/// std::invalid_argument naming the index and the ranks when an index is in the sources twice
/// or is wanted but in none.
[[nodiscard]] std::vector<Forward> match(std::vector<ListRun> sources,
                                         std::span<const ListRun> destinations);

}  // namespace transrank::route
