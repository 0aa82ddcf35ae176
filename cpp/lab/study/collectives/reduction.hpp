// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "lab/study/collectives/contents.hpp"

namespace transrank::lab::study::collectives {

/// A type of number in whose sums all ranks take part.
struct Datatype {
    std::string_view name;
    MPI_Datatype handle;
    std::int64_t bytes;
    /// The sums of more ranks than these are not exact, or overflow.
    int most_ranks;
    std::unique_ptr<Contents> (*contents)(const Buffers& buffers);
};

[[nodiscard]] std::span<const Datatype> datatypes();

/// Throws std::out_of_range when there is none of this name.
[[nodiscard]] const Datatype& find_datatype(std::string_view name);

}  // namespace transrank::lab::study::collectives
