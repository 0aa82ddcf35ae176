// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/study/advection/block.hpp"
#include "lab/study/advection/scheme.hpp"
#include "transrank/layout/block_grid.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::study::advection {

/// Processes along the rows and along the columns of the grid.
using Processes = std::array<int, 2>;

/// `even`: as MPI_Dims_create does; `rows`: a strip of rows for each rank; `columns`: of columns.
/// Throws std::invalid_argument for any other name.
[[nodiscard]] Processes processes_of(std::string_view name, int ranks);

/// Points of the whole grid.
struct Extents {
    std::int64_t rows;
    std::int64_t columns;
};

/// Why a grid cannot be divided so for a stencil that reads `width` rows and columns: some rank's
/// part is thinner. Empty when it can.
[[nodiscard]] std::string reason_against(const Extents& extents, const Processes& processes,
                                         int width);

/// Periodic, with a halo on the upwind side. A rank may be its own neighbor.
[[nodiscard]] layout::BlockGrid grid_of(const Extents& extents, const Processes& processes,
                                        const Stencil& stencil);

[[nodiscard]] Block block_of(const layout::BlockGrid& grid, int rank);

/// Where neighbors read: the owned points, which then must stay as they are until all have read, or
/// copies of them.
enum class Sources : std::uint8_t { owned, copied };

/// A rank's halo update, within arrays as blocks lay them out: upwind rows, upwind columns and,
/// where the stencil reads it, the corner between them.
[[nodiscard]] route::Route halo(const layout::BlockGrid& grid, int rank, const Stencil& stencil,
                                Sources sources);

/// What makes the copies that neighbors read: rows of segments within a rank's array.
[[nodiscard]] std::vector<route::Row> copies(const layout::BlockGrid& grid, int rank,
                                             const Stencil& stencil);

}  // namespace transrank::lab::study::advection
