// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "transrank/study/ghost_update/update.hpp"

namespace transrank::study::ghost_update {

/// A way of updating ghosts that is no transport of the engine: the floor that memory sets, and
/// what a program can do with MPI alone.
struct Way {
    std::string_view name;
    std::string_view summary;
    /// Needs arrays that node-mates can map.
    bool shared = false;
    /// Collective.
    std::unique_ptr<Update> (*make)(const measure::Case& point, const Setting& setting,
                                    const Arrays& arrays);
};

// Every way's row is made in its own file; way.cpp lists them.
Way floor();
Way floor_from_peers();
Way mpi_packed();
Way mpi_datatype();
Way mpi_neighborhood();
Way mpi_packed_neighborhood();
Way mpi_put_fence();
Way mpi_put_post();

[[nodiscard]] std::span<const Way> ways();

/// Null when there is none of that name.
[[nodiscard]] const Way* find_way(std::string_view name);

}  // namespace transrank::study::ghost_update
