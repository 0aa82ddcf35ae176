// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/study/collectives/flow.hpp"
#include "lab/study/collectives/forms.hpp"

namespace transrank::lab::study::collectives {

/// One collective operation of MPI.
struct Collective {
    std::string_view name;
    Flow flow;
    /// Takes displacements, which count bytes in an int.
    bool displaced = false;
    Forms forms;

    /// `MPI_Allreduce`, and with a suffix `MPI_Allreduce_init`.
    [[nodiscard]] std::string mpi_name(std::string_view suffix = "") const;
};

[[nodiscard]] std::span<const Collective> all();

/// Throws std::out_of_range when there is none of this name.
[[nodiscard]] const Collective& find(std::string_view name);

}  // namespace transrank::lab::study::collectives
