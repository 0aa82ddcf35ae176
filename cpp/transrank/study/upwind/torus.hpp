// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/layout/distribution.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"
#include "transrank/study/upwind/block.hpp"
#include "transrank/study/upwind/scheme.hpp"

namespace transrank::study::upwind {

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
[[nodiscard]] std::string obstacle(const Extents& extents, const Processes& processes, int width);

/// Where neighbors read: the owned points, which then must stay as they are until all have read, or
/// copies of them.
enum class Sources : std::uint8_t { owned, copied };

/// What one rank owes another in one halo update. Both know it without asking.
struct Piece {
    int source;                ///< whom this rank gets it from
    int destination;           ///< whom this rank sends its counterpart to
    route::Segment arriving;   ///< from the source's array to this rank's
    route::Segment departing;  ///< from this rank's array to the destination's
};

/// A periodic grid divided among the ranks of a periodic process grid. A rank may be its own
/// neighbor.
class Torus {
public:
    /// Collective.
    Torus(const mpi::Communicator& comm, const Processes& processes, const Extents& extents);

    /// The Cartesian communicator; ranks are those of the communicator it was made from.
    [[nodiscard]] const mpi::Communicator& comm() const noexcept { return comm_; }
    [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
    [[nodiscard]] Block block(int rank) const;
    [[nodiscard]] Block block() const { return block(comm_.rank()); }
    /// The first of this rank's rows and of its columns in the whole grid.
    [[nodiscard]] std::array<std::int64_t, 2> origin() const;

    /// The pieces of this rank's halo: upwind rows, upwind columns and, where the stencil reads it,
    /// the corner between them.
    [[nodiscard]] std::vector<Piece> pieces(const Stencil& stencil, Sources sources) const;

    /// What makes the copies that neighbors read: segments within this rank's array.
    [[nodiscard]] std::vector<route::Segment> copies(const Stencil& stencil) const;

private:
    [[nodiscard]] std::array<int, 2> coordinates(int rank) const;
    [[nodiscard]] int neighbor(int row_steps, int column_steps) const;

    Extents extents_;
    layout::Distribution rows_;
    layout::Distribution columns_;
    mpi::Communicator comm_;
};

/// The pieces as a route from a rank's array to itself and to others'.
[[nodiscard]] route::Route route_of(const std::vector<Piece>& pieces, const Torus& torus);

}  // namespace transrank::study::upwind
