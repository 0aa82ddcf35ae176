// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transrank/route/route.hpp"

namespace transrank::lab::study::ghost {

inline constexpr int faces = 6;

/// The block of rows that each rank owns, the last dimension the fastest, and its six faces.
struct Block {
    std::array<std::int64_t, 3> extents{32, 32, 32};  // as published

    [[nodiscard]] constexpr std::int64_t rows() const {
        return extents[0] * extents[1] * extents[2];
    }
    /// Of one of the two faces across a dimension.
    [[nodiscard]] constexpr std::int64_t face_rows(std::size_t dimension) const {
        return rows() / extents[dimension];
    }
    [[nodiscard]] constexpr std::int64_t ghost_rows() const {
        return 2 * (face_rows(0) + face_rows(1) + face_rows(2));
    }
};

/// Extents of a process grid for `ranks` ranks, as even as possible, descending.
[[nodiscard]] std::array<int, 3> process_grid(int ranks);

/// The rank behind `face` (lower and upper of each dimension in turn), periodic.
[[nodiscard]] int neighbor(int rank, int face, const std::array<int, 3>& grid);

/// Every rank pulls the six faces that touch its own block from its neighbors in a periodic process
/// grid; where neighbors coincide, all of their faces still arrive.
[[nodiscard]] route::Route corrected_ghost_route(int rank, int ranks, const Block& block = {});

/// What the published program does: the global indices that it computes are thrown away and the
/// local ones are taken for global ones, so every rank pulls from the block of rank 0, which pulls
/// from itself; rows asked for twice (edges and corners) arrive once, sorted; faces of neighbors
/// that coincide replace each other.
[[nodiscard]] route::Route literal_ghost_route(int rank, int ranks, const Block& block = {});

/// All six faces from the next rank of a ring: no row is a rank's own, the hardest case for few
/// ranks.
[[nodiscard]] route::Route remote_ghost_route(int rank, int ranks, const Block& block = {});

}  // namespace transrank::lab::study::ghost
