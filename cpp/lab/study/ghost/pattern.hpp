// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "transrank/route/route.hpp"

namespace transrank::lab::study::ghost {

/// The block of rows that each rank owns, and its six faces.
inline constexpr std::int64_t block_extent = 32;
inline constexpr std::int64_t block_rows = block_extent * block_extent * block_extent;
inline constexpr std::int64_t face_rows = block_extent * block_extent;
inline constexpr int faces = 6;
inline constexpr std::int64_t ghost_rows = faces * face_rows;

/// Extents of a process grid for `ranks` ranks, as even as possible, descending.
[[nodiscard]] std::array<int, 3> process_grid(int ranks);

/// The rank behind `face` (lower and upper of each dimension in turn), periodic.
[[nodiscard]] int neighbor(int rank, int face, const std::array<int, 3>& grid);

/// Every rank pulls the six faces that touch its own block from its neighbors in a periodic process
/// grid; where neighbors coincide, all of their faces still arrive.
[[nodiscard]] route::Route corrected_ghost_route(int rank, int ranks);

/// What the published program does: the global indices that it computes are thrown away and the
/// local ones are taken for global ones, so every rank pulls from the block of rank 0, which pulls
/// from itself; rows asked for twice (edges and corners) arrive once, sorted; faces of neighbors
/// that coincide replace each other.
[[nodiscard]] route::Route literal_ghost_route(int rank, int ranks);

/// All six faces from the next rank of a ring: no row is a rank's own, the hardest case for few
/// ranks.
[[nodiscard]] route::Route remote_ghost_route(int rank, int ranks);

}  // namespace transrank::lab::study::ghost
