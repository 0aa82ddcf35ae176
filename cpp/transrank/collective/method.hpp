// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transrank/collective/task.hpp"

namespace transrank::collective {

/// Facts that all ranks know before they choose.
struct Circumstances {
    bool on_one_node;    ///< all pairs of ranks share memory
    bool shared_arrays;  ///< every rank sends from memory that transrank has allocated
    bool equal_blocks;
    bool own_cores = true;       ///< no ranks share a core
    bool mpi_is_faster = false;  ///< as measured, where arrays are not shared
    /// The longest block of any rank, or the offset farthest from the begin of its array, where
    /// MPI cannot count its bytes; else 0.
    std::int64_t uncountable_bytes = 0;
};

/// A row of the table of methods for an alltoall: every schedule, and two that have none.
struct Method {
    std::string_view name;
    std::string_view summary;
    /// Null where there is no schedule.
    const schedule::Algorithm* algorithm;

    /// Why it cannot be used; empty when it can. The same on every rank.
    [[nodiscard]] std::string reason_against(const schedule::Problem& problem,
                                             const Circumstances& circumstances) const;
    /// Collective.
    [[nodiscard]] Backend make(const Task& task) const;
};

inline constexpr std::string_view automatic = "auto";
inline constexpr std::string_view direct_name = "on-node-direct";
inline constexpr std::string_view mpi_name = "mpi";
/// What `auto` takes in place of `mpi` where MPI cannot count the bytes: its messages are split.
inline constexpr std::string_view split_name = "pairwise";

/// The methods, without `auto`.
[[nodiscard]] std::span<const Method> methods();

/// The method of this name; for `auto` the one that suits. Throws std::invalid_argument when there
/// is none, or it cannot be used.
[[nodiscard]] const Method& choose(std::string_view name, const schedule::Problem& problem,
                                   const Circumstances& circumstances);

}  // namespace transrank::collective
