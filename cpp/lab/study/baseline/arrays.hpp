// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "lab/measure/case.hpp"
#include "lab/measure/workspace.hpp"
#include "transrank/copy/field.hpp"
#include "transrank/mpi/communicator.hpp"

namespace transrank::lab::study {

/// What the operations of a group share, for as long as one of them lives; `make` returns a
/// std::shared_ptr to it.
template <class Make>
auto shared_by(const std::string& group, const Make& make) {
    using Shared = typename decltype(make())::element_type;
    static std::map<std::string, std::weak_ptr<Shared>> known;
    auto shared = known[group].lock();
    if (!shared) {
        shared = make();
        known[group] = shared;
    }
    return shared;
}

/// The doubles of a rank that are moved, where they are moved to, and what keeps the memory.
struct Arrays {
    std::span<double> source;
    std::span<double> destination;
    std::shared_ptr<const void> owner = nullptr;  ///< null where the workspace has them

    [[nodiscard]] static Arrays in(const measure::Workspace& workspace, const measure::Case& point,
                                   std::int64_t sources, std::int64_t destinations);

    /// Collective. Arrays that node-mates can map.
    [[nodiscard]] static Arrays shared(const mpi::Communicator& comm, std::int64_t sources,
                                       std::int64_t destinations);

    /// Collective. The same for all operations of a group: while one of them runs, no other does.
    [[nodiscard]] static Arrays shared(const mpi::Communicator& comm, const std::string& group,
                                       std::int64_t sources, std::int64_t destinations);
};

/// Doubles to be moved in units of `unit_bytes`.
[[nodiscard]] copy::Field field_of(std::span<const double> source, std::span<double> destination,
                                   std::int64_t unit_bytes);

/// Reads them all, as fast as memory lets it.
[[nodiscard]] double sum_of(std::span<const double> values);

}  // namespace transrank::lab::study
