// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/method.hpp"

#include <vector>

#include "transrank/layout/named.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/counts.hpp"

namespace transrank::collective {
namespace {

const Method& find(std::string_view name) {
    return layout::named(methods(), name, "alltoall algorithm", automatic);
}

// Beyond one node nothing of ours is known to be better than what the library has been tuned to.
// Ranks that share a core have to be woken before they can copy blocks through a double buffer.
bool is_direct(const Circumstances& here) {
    return here.on_one_node && (here.shared_arrays || (here.own_cores && !here.mpi_is_faster));
}

}  // namespace

std::string Method::reason_against(const schedule::Problem& problem,
                                   const Circumstances& circumstances) const {
    if (name == mpi_name && circumstances.uncountable_bytes > 0) {
        return "this MPI counts at most " + std::to_string(mpi::largest_count()) +
               " bytes, and a block or its offset has " +
               std::to_string(circumstances.uncountable_bytes) + "; take 'auto' or '" +
               std::string(split_name) + "', or an MPI that counts in 64 bits (MPI 4)";
    }
    if (algorithm == nullptr) {
        return "";
    }
    if (!algorithm->direct && !circumstances.equal_blocks) {
        return "it forwards blocks, and these are not all of one length";
    }
    return algorithm->reason_against(problem);
}

Backend Method::make(const Task& task) const {
    if (algorithm != nullptr) {
        return by_messages(task, *algorithm);
    }
    return name == direct_name ? on_node_direct(task) : by_mpi(task);
}

std::span<const Method> methods() {
    static const auto rows = [] {
        std::vector<Method> made;
        for (const auto& row : schedule::all()) {
            made.push_back({.name = row.name, .summary = row.summary, .algorithm = &row});
        }
        made.push_back({.name = direct_name,
                        .summary = "from the memory of peers on this node, by messages from others",
                        .algorithm = nullptr});
        made.push_back(
            {.name = mpi_name, .summary = "MPI_Alltoall of the library", .algorithm = nullptr});
        return made;
    }();
    return rows;
}

const Method& choose(std::string_view name, const schedule::Problem& problem,
                     const Circumstances& circumstances) {
    if (name == automatic) {
        if (is_direct(circumstances)) {
            return find(direct_name);
        }
        return find(circumstances.uncountable_bytes > 0 ? split_name : mpi_name);
    }
    const auto& method = find(name);
    const auto reason = method.reason_against(problem, circumstances);
    layout::require(reason.empty(), "the alltoall algorithm '", name,
                    "' cannot be used here: ", reason);
    return method;
}

}  // namespace transrank::collective
