// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "lab/study/study.hpp"

namespace transrank::lab::study {

// Rank i of the first half belongs to rank i of the second one, as OSU pairs them.

/// How many pairs take part: all there are, or a number.
[[nodiscard]] AxisChoice pairs_axis();

/// A case for each number of pairs asked for, `all` and its number once, and each size; bytes count
/// once per pair. Those of more pairs than `ranks` make are skipped. `make` makes one of study,
/// pairs and size a case of one pair.
[[nodiscard]] std::vector<measure::Case> pair_cases(
    std::string_view study, const Selection& selection, int ranks, std::string_view sizes,
    const std::function<void(measure::Case& point)>& make);

/// The other one of the pair; MPI_PROC_NULL for a rank without.
[[nodiscard]] int partner_of(const measure::Case& point, const mpi::Communicator& comm);

}  // namespace transrank::lab::study
