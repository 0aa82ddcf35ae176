// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transrank/discovery/numbering.hpp"
#include "transrank/layout/rows.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/route/route.hpp"

namespace transrank::array {

/// Which rows are ghosts of which, whatever the rows hold: it serves arrays of any element type and
/// row length.
struct GhostMapping {
    discovery::Numbering numbering;    ///< of the rows that the ranks own
    route::Route route;                ///< from owned rows to ghost rows, counted in rows
    std::vector<std::int64_t> ghosts;  ///< the global index of each ghost row
};

/// Collective. Ghosts named by those who want them; see discovery::ghost_pull.
[[nodiscard]] std::shared_ptr<const GhostMapping> pulled_mapping(
    const mpi::Communicator& comm, const discovery::Numbering& numbering,
    std::span<const std::int64_t> ghosts);

/// Collective. Ghosts named by the owners of the rows; see discovery::ghost_push.
[[nodiscard]] std::shared_ptr<const GhostMapping> pushed_mapping(
    const mpi::Communicator& comm, const discovery::Numbering& numbering,
    std::span<const std::int64_t> rows, std::span<const int> targets);

/// Collective. Ghosts given by a route in rows that exists, from all that a rank owns. Which rows
/// of the others they are is found by moving the global indices along it; -1 where nothing arrives.
[[nodiscard]] std::shared_ptr<const GhostMapping> mapping_along(
    const mpi::Communicator& comm, const discovery::Numbering& numbering,
    const route::Route& route);

/// A route and how many elements of an array one of its units is.
struct Movement {
    route::Route route;
    std::int64_t unit_elements = 1;
};

/// Collective. How rows of one length move: whole, with what lies between them. Throws
/// mpi::AgreedError when they are longer on one rank than on another.
[[nodiscard]] Movement move_rows(const mpi::Communicator& comm, const GhostMapping& mapping,
                                 const layout::Rows& owned);

/// Not collective. Throws std::invalid_argument unless there is a mapping and `rows` is the number
/// of rows that it is for.
void check_mapping(const mpi::Communicator& comm, const GhostMapping* mapping, std::int64_t rows);

/// Not collective. Throws std::invalid_argument unless the rows have been numbered, and there are
/// still as many.
void check_numbering(const mpi::Communicator& comm, const discovery::Numbering* numbering,
                     std::int64_t rows);

}  // namespace transrank::array
