// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "transrank/study/redistribute/bundle.hpp"

namespace transrank::study::redistribute {

/// A way of redistributing that is not the library's: what memory alone costs, and what a program
/// can do with MPI alone.
struct Way {
    std::string_view name;
    std::string_view summary;
    /// Copies what is its own, as much as would arrive.
    bool floor;
    /// Can go from lists of cells, and to them.
    bool lists = true;
    /// Needs arrays that node-mates can map.
    bool shared = false;
    /// Collective.
    std::unique_ptr<Bundle> (*make)(const measure::Case& point, const Setting& setting,
                                    const Arrays& arrays);
};

// Every way's row is made in its own file; way.cpp lists them.
Way memcpy_once();
Way memcpy_per_field();
Way nontemporal();
Way memcpy_runs();
Way memcpy_from_peers();
Way mpi_packed();
Way mpi_alltoallw();

[[nodiscard]] std::span<const Way> ways();

/// Null when there is none of that name.
[[nodiscard]] const Way* find_way(std::string_view name);

}  // namespace transrank::study::redistribute
